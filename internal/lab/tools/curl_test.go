package tools

import (
	"bytes"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"
)

// serveText answers each connection with a text, and closes it, or keeps it open. It returns the URL.
func serveText(t *testing.T, answer string, open bool) string {
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

func TestACurlPrintsWhatIsAnswered(t *testing.T) {
	const page = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc"
	for name, test := range map[string]struct {
		answer, want string
		open         bool // the connection
		args         []string
		fails        bool
	}{
		"a page":                   {answer: page, args: []string{"-s"}, want: "abc"},
		"a page that is kept open": {answer: page, open: true, args: []string{"-s", "-m", "60"}, want: "abc"},
		"a page in parts": {
			answer: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", want: "abcde",
		},
		"a part of a page": {answer: "HTTP/1.1 200 OK\r\nContent-Length: 30\r\n\r\nabc", want: "abc", fails: true},
		"a page that does not end": {
			answer: "HTTP/1.1 200 OK\r\n\r\nabc", open: true, args: []string{"-m", "0.1"}, want: "abc", fails: true,
		},
		"nothing": {fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			err := curl(append(test.args, serveText(t, test.answer, test.open)), &out)
			if (err != nil) != test.fails || out.String() != test.want {
				t.Errorf("got %q, %v", &out, err)
			}
		})
	}
}

func TestAnAnswerIsWrittenToAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "page")
	var out bytes.Buffer
	err := curl([]string{"-o", file, serveText(t, "HTTP/1.1 200 OK\r\n\r\nabc", false)}, &out)
	content, readErr := os.ReadFile(file)
	if err != nil || readErr != nil || string(content) != "abc" || out.Len() > 0 {
		t.Errorf("got %v, %q, %v, %q", err, content, readErr, &out)
	}
}

func TestAWgetFailsWhereNobodyAnswersInTime(t *testing.T) {
	const page = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc"
	for answer, fails := range map[string]bool{page: false, "": true} {
		err := wget([]string{"-q", "-T", "1", "-O", os.DevNull, serveText(t, answer, true)}, io.Discard)
		if (err != nil) != fails {
			t.Errorf("after the answer %q: %v", answer, err)
		}
	}
}
