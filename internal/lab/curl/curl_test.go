package curl

import (
	"bytes"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// serve answers each connection with a text, and closes it, or keeps it open. It returns the URL.
func serve(t *testing.T, answer string, open bool) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				_, _ = conn.Read(make([]byte, 1<<12)) // the request
				_, _ = io.WriteString(conn, answer)
				if open {
					_, _ = io.Copy(io.Discard, conn)
				}
			}()
		}
	}()
	return "http://" + listener.Addr().String() + "/metrics"
}

func TestTheOutputAndTheStatusAreThoseOfCurl(t *testing.T) {
	const page = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc"
	for name, test := range map[string]struct {
		answer, want string
		open         bool
		args         []string
		status       int
		message      string
	}{
		"a page":                   {answer: page, args: []string{"-s"}, want: "abc"},
		"a page that is kept open": {answer: page, open: true, args: []string{"-s", "-m", "60"}, want: "abc"},
		"a page in parts": {
			answer: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", want: "abcde",
		},
		"its size": {answer: page, args: []string{"-w", `\n%{size_download} %{http_code}\n`}, want: "abc\n3 200\n"},
		"bytes without headers": {
			answer: "0123456789", args: []string{"--http0.9", "-w", " %{size_download} %{http_code}"}, want: "0123456789 10 000",
		},
		"bytes without headers that are not expected": {
			answer: "0123456789", status: 1, message: `curl: \(1\) Received HTTP/0.9 when not allowed`,
		},
		"a part of a page": {
			answer: "HTTP/1.1 200 OK\r\nContent-Length: 30\r\n\r\nabc", want: "abc", status: 18,
			message: `curl: \(18\) transfer closed with 27 bytes remaining to read`,
		},
		"nothing":          {status: 52, message: `curl: \(52\) Empty reply from server`},
		"silently nothing": {args: []string{"-s"}, status: 52},
		"an error": {
			answer: "HTTP/1.1 404 Not Found\r\nContent-Length: 3\r\n\r\nabc", args: []string{"-sSf"}, status: 22,
			message: `curl: \(22\) The requested URL returned error: 404`,
		},
		"a page of an error": {answer: "HTTP/1.1 404 Not Found\r\nContent-Length: 3\r\n\r\nabc", want: "abc"},
		"a page that does not end": {
			answer: "HTTP/1.1 200 OK\r\n\r\nabc", open: true, want: "abc 3",
			args:   []string{"-m", "0.1", "-w", " %{size_download}"},
			status: 28, message: `curl: \(28\) Operation timed out after 1\d\d milliseconds with 3 bytes received`,
		},
		"a number that is none": {
			args: []string{"-m", "x"}, status: 2, message: `curl: option -m: expected a proper numerical parameter`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			var out, messages bytes.Buffer
			status := Main(append(test.args, serve(t, test.answer, test.open)), &out, &messages)
			message := regexp.MustCompile(`^` + test.message + `\n?$`)
			if status != test.status || out.String() != test.want || !message.Match(messages.Bytes()) {
				t.Errorf("got %d, %q, %q", status, &out, &messages)
			}
		})
	}
}

func TestAServerThatDoesNotListenCannotBeConnected(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
	if status := Main([]string{"-s", "http://" + listener.Addr().String()}, io.Discard, io.Discard); status != 7 {
		t.Errorf("got %d", status)
	}
}

func TestAnAnswerIsWrittenToAFileAndItsTimeToTheOutput(t *testing.T) {
	file := filepath.Join(t.TempDir(), "page")
	var out bytes.Buffer
	url := serve(t, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", false)
	status := Main([]string{"-s", "-o", file, "-w", "%{time_total}", url}, &out, io.Discard)
	content, err := os.ReadFile(file)
	if status != 0 || err != nil || string(content) != "abc" || !regexp.MustCompile(`^0\.\d{6}$`).Match(out.Bytes()) {
		t.Errorf("got %d, %q, %v, %q", status, content, err, &out)
	}
}

func TestOnlyHTTPIsSupported(t *testing.T) {
	for url, want := range map[string]int{"https://127.0.0.1:1/": 1, "127.0.0.1": 3, "": 3} {
		if got := Main([]string{"-s", url}, io.Discard, io.Discard); got != want {
			t.Errorf("%q: got %d, want %d", url, got, want)
		}
	}
}
