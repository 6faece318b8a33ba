package cluster

import (
	"net/http"
	"net/url"
)

// redirectError means that a leaf has answered with a redirect.
type redirectError struct {
	to string // scheme and host; empty if the answer says no usable address
}

// Error says where the redirect leads. The rest of the address may have secrets, for instance those of a login.
func (e *redirectError) Error() string {
	if e.to == "" {
		return "it redirects to nowhere"
	}
	return "it redirects to " + e.to
}

// unredirected is a transport that turns redirects into errors. No API server sends any. A leaf could otherwise choose
// where requests go, even with their content.
type unredirected struct{ transport http.RoundTripper }

func refuseRedirects(transport http.RoundTripper) http.RoundTripper { return &unredirected{transport} }

// RoundTrip implements [http.RoundTripper].
func (u *unredirected) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := u.transport.RoundTrip(request)
	if err != nil || !isRedirect(response.StatusCode) {
		return response, err
	}
	_ = response.Body.Close() // nobody reads it
	refused := &redirectError{}
	if to, err := request.URL.Parse(response.Header.Get("Location")); err == nil && to.Host != "" {
		refused.to = (&url.URL{Scheme: to.Scheme, Host: to.Host}).String()
	}
	return nil, refused
}

// isRedirect reports whether net/http would follow an answer with this status.
func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect,
		http.StatusPermanentRedirect:
		return true
	default:
		return false
	}
}

// WrappedRoundTripper lets client-go find the transport below, for instance to close its connections.
func (u *unredirected) WrappedRoundTripper() http.RoundTripper { return u.transport }
