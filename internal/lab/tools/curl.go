package tools

import (
	"bufio"
	"context"
	"flag"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"
)

// curl gets a page over HTTP, without TLS. The URL must name the port.
func curl(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("curl", flag.ContinueOnError)
	flags.Bool("s", true, "show no progress")
	longest := seconds(flags, "m", time.Minute, "`seconds` until it gives up")
	file := flags.String("o", "", "`file` for the answer")
	url, err := parse(flags, args)
	if err != nil {
		return err
	}
	answer := out
	if *file != "" {
		opened, err := os.Create(*file)
		if err != nil {
			return err
		}
		defer opened.Close()
		answer = opened
	}
	ctx, cancel := context.WithTimeout(context.Background(), *longest)
	defer cancel()
	return download(ctx, url, answer)
}

// wget gets a page as curl does, into a file.
func wget(args []string, _ io.Writer) error {
	flags := flag.NewFlagSet("wget", flag.ContinueOnError)
	flags.Bool("q", true, "show no progress")
	file := flags.String("O", "", "`file` for the answer")
	longest := flags.Int("T", 0, "`seconds` until it gives up")
	url, err := parse(flags, args)
	if err != nil {
		return err
	}
	return curl([]string{"-o", *file, "-m", strconv.Itoa(*longest), url}, io.Discard)
}

// download writes what a URL answers.
func download(ctx context.Context, url string, out io.Writer) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", request.URL.Host)
	if err != nil {
		return err
	}
	defer conn.Close()
	deadline, _ := ctx.Deadline()
	if err := conn.SetDeadline(deadline); err != nil {
		return err
	}
	if err := request.Write(conn); err != nil {
		return err
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, err = io.Copy(out, response.Body)
	return err
}
