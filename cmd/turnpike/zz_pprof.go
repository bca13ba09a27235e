package main

import (
	"net"
	"net/http"
	_ "net/http/pprof"
	"os"
)

func init() {
	if len(os.Args) > 1 && (os.Args[1] == "run" || os.Args[1] == "backend") {
		l, _ := net.Listen("tcp", "127.0.0.1:0")
		_ = os.WriteFile("/tmp/t-shares/addr-"+os.Args[1], []byte(l.Addr().String()), 0o600)
		go http.Serve(l, nil)
	}
}
