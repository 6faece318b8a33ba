package probe

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
)

// HTTP requests a URL with GET, on a new connection each time. An answer of any status counts.
func HTTP(ctx context.Context, url string, options Options) Result {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, Proxy: nil}}
	var answer any
	result := repeat(ctx, url, options, func(ctx context.Context, _ int) error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
		if err != nil {
			return err
		}
		response, err := client.Do(request)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			return err
		}
		answer = read(body)
		return nil
	})
	result.Answer = answer
	return result
}

// read returns a body as JSON if it is JSON, and otherwise as text.
func read(body []byte) any {
	var value any
	if json.Unmarshal(body, &value) == nil {
		return value
	}
	return strings.TrimSpace(string(body))
}
