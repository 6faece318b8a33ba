// Package curl is a curl for one HTTP request, with the options of the real one that pods use. Pods of the lab have it
// on machines without a curl.
package curl

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"
)

// The exit statuses of curl.
const (
	statusDone        = 0
	statusUnsupported = 1
	statusUsage       = 2
	statusMalformed   = 3
	statusResolve     = 6
	statusConnect     = 7
	statusPartial     = 18
	statusHTTP        = 22
	statusWrite       = 23
	statusTimeout     = 28
	statusEmpty       = 52
	statusReceive     = 56
)

// failure is an error with the exit status that it leads to.
type failure struct {
	status int
	text   string
}

func (f failure) Error() string { return f.text }

// Main runs curl with the arguments of a command line, without the program's name, and returns its exit status.
func Main(args []string, out, messages io.Writer) (status int) {
	o, err := parse(args)
	if err != nil {
		return o.explain(messages, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if o.longest > 0 {
		ctx, cancel = context.WithTimeout(ctx, o.longest)
		defer cancel()
	}
	t := &transfer{options: o, out: out, began: time.Now()}
	err = t.run(ctx)
	took := time.Since(t.began)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) && err != nil {
		err = failure{statusTimeout, fmt.Sprintf(
			"Operation timed out after %d milliseconds with %d bytes received", took.Milliseconds(), t.received)}
	}
	if o.format != "" {
		if _, err := io.WriteString(out, t.formatted(took)); err != nil {
			return statusWrite
		}
	}
	return o.explain(messages, err)
}

// explain prints an error, unless it shall not, and returns the exit status.
func (o *options) explain(messages io.Writer, err error) (status int) {
	if err == nil {
		return statusDone
	}
	failed := failure{statusReceive, err.Error()}
	_ = errors.As(err, &failed) // other errors are those of a connection
	switch {
	case failed.status == statusUsage:
		fmt.Fprintln(messages, "curl:", failed.text)
	case !o.silent || o.showError:
		fmt.Fprintf(messages, "curl: (%d) %s\n", failed.status, failed.text)
	}
	return failed.status
}

// transfer is a request and its answer.
type transfer struct {
	options

	out      io.Writer
	began    time.Time
	received int64 // bytes of the answer without headers
	code     int   // of the answer, or 0
}

// run sends the request and receives the answer, until ctx ends.
func (t *transfer) run(ctx context.Context) error {
	conn, err := t.dial(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, t.url.String(), http.NoBody)
	if err != nil {
		return failure{statusMalformed, err.Error()}
	}
	request.Header.Set("User-Agent", "curl/8.0.0")
	request.Header.Set("Accept", "*/*")
	request.Close = true
	if err := request.Write(conn); err != nil {
		return err
	}
	answer := bufio.NewReader(conn)
	const protocol = "HTTP/"
	begin, err := answer.Peek(len(protocol))
	switch {
	case len(begin) == 0 && errors.Is(err, io.EOF):
		return failure{statusEmpty, "Empty reply from server"}
	case len(begin) == 0:
		return err
	case !bytes.Equal(begin, []byte(protocol)) && !t.old:
		return failure{statusUnsupported, "Received HTTP/0.9 when not allowed"}
	case !bytes.Equal(begin, []byte(protocol)):
		return t.save(answer)
	}
	response, err := http.ReadResponse(answer, request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	t.code = response.StatusCode
	if t.fail && t.code >= http.StatusBadRequest {
		return failure{statusHTTP, fmt.Sprintf("The requested URL returned error: %d", t.code)}
	}
	err = t.save(response.Body)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		missing := max(response.ContentLength-t.received, 0)
		return failure{statusPartial, fmt.Sprintf("transfer closed with %d bytes remaining to read", missing)}
	}
	return err
}

// dial connects to the server.
func (t *transfer) dial(ctx context.Context) (net.Conn, error) {
	port := t.url.Port()
	if port == "" {
		port = "80"
	}
	dialer := net.Dialer{Timeout: t.longestToConnect}
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(t.url.Hostname(), port))
	var unknown *net.DNSError
	var late net.Error
	switch {
	case errors.As(err, &unknown):
		return nil, failure{statusResolve, "Could not resolve host: " + t.url.Hostname()}
	case errors.As(err, &late) && late.Timeout():
		return nil, failure{statusTimeout, fmt.Sprintf(
			"Connection timed out after %d milliseconds", time.Since(t.began).Milliseconds())}
	case err != nil:
		return nil, failure{statusConnect, fmt.Sprintf(
			"Failed to connect to %s port %s after %d ms: Couldn't connect to server",
			t.url.Hostname(), port, time.Since(t.began).Milliseconds())}
	}
	return conn, nil
}

// save writes the answer to where the user wants it.
func (t *transfer) save(body io.Reader) (err error) {
	out := t.out
	if t.output != "" && t.output != "-" {
		file, err := os.Create(t.output)
		if err != nil {
			return failure{statusWrite, "Failure writing output to destination"}
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		out = file
	}
	t.received, err = io.Copy(out, body)
	return err
}

// formatted returns the text that -w requests.
func (t *transfer) formatted(took time.Duration) string {
	return strings.NewReplacer(
		`\n`, "\n", `\t`, "\t", `\r`, "\r", "%%", "%",
		"%{size_download}", fmt.Sprint(t.received),
		"%{time_total}", fmt.Sprintf("%.6f", took.Seconds()),
		"%{speed_download}", fmt.Sprintf("%.0f", float64(t.received)/took.Seconds()),
		"%{http_code}", fmt.Sprintf("%03d", t.code),
	).Replace(t.format)
}
