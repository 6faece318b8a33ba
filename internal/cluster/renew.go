package cluster

import "net/http"

// renewing is a transport that repeats a request once if the API server refuses the credentials. A credential plugin
// then renews them, and so does client-go with a token that it reads from a file. But client-go leaves it to its
// caller to ask again.
type renewing struct {
	transport http.RoundTripper // adds the credentials
}

// RoundTrip implements [http.RoundTripper].
func (r *renewing) RoundTrip(request *http.Request) (*http.Response, error) {
	again := request.Clone(request.Context()) // before client-go adds the credentials
	response, err := r.transport.RoundTrip(request)
	if err != nil || response.StatusCode != http.StatusUnauthorized {
		return response, err
	}
	if request.GetBody != nil {
		if again.Body, err = request.GetBody(); err != nil {
			return response, nil //nolint:nilerr // the answer says what is wrong
		}
	}
	if err := response.Body.Close(); err != nil {
		return nil, err
	}
	return r.transport.RoundTrip(again)
}

// WrappedRoundTripper lets client-go find the transport below, for instance to close its connections.
func (r *renewing) WrappedRoundTripper() http.RoundTripper { return r.transport }
