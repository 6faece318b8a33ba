package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestAnEchoSaysWhoItIsAndWhomItSees(t *testing.T) {
	const spaces = 100_000
	request := httptest.NewRequest(http.MethodGet, fmt.Sprintf("http://10.71.1.10/?bytes=%d", spaces), http.NoBody)
	request.RemoteAddr = "10.71.0.10:40000"
	response := httptest.NewRecorder()
	echo("milan/default/a").ServeHTTP(response, request)
	var got Echo
	want := Echo{Name: "milan/default/a", Source: "10.71.0.10"}
	if answer := bytes.TrimLeft(response.Body.Bytes(), " "); response.Body.Len()-len(answer) != spaces {
		t.Errorf("%d spaces come before the answer", response.Body.Len()-len(answer))
	}
	if err := json.Unmarshal(response.Body.Bytes(), &got); err != nil || got != want {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestAPodSendsDatagramsBack(t *testing.T) {
	pod, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer pod.Close()
	go sendBack(pod)
	conn, err := net.Dial("udp4", pod.LocalAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, sent := range []string{"one", "two"} {
		buffer := make([]byte, largestDatagram)
		if _, err := conn.Write([]byte(sent)); err != nil {
			t.Fatal(err)
		}
		if size, err := conn.Read(buffer); err != nil || string(buffer[:size]) != sent {
			t.Errorf("%q came back as %q, %v", sent, buffer[:size], err)
		}
	}
}
