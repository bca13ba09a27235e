package webhooks_test

import (
	"context"
	"net"
	"net/netip"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// resolverTo answers every A question with one address, like a name that someone pointed there.
func resolverTo(t *testing.T, address string) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		serveDNS(conn, netip.MustParseAddr(address))
	}()
	t.Cleanup(func() {
		_ = conn.Close()
		<-done
	})
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var dialer net.Dialer
		return dialer.DialContext(ctx, "udp4", conn.LocalAddr().String())
	}}
}

func serveDNS(conn net.PacketConn, address netip.Addr) {
	buffer := make([]byte, 1500)
	for {
		n, from, err := conn.ReadFrom(buffer)
		if err != nil {
			return
		}
		var question dnsmessage.Message
		if question.Unpack(buffer[:n]) != nil || len(question.Questions) != 1 {
			continue
		}
		reply := dnsmessage.Message{
			Header:    dnsmessage.Header{ID: question.ID, Response: true, Authoritative: true},
			Questions: question.Questions,
		}
		if q := question.Questions[0]; q.Type == dnsmessage.TypeA {
			reply.Answers = []dnsmessage.Resource{{
				Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class},
				Body:   &dnsmessage.AResource{A: address.As4()},
			}}
		}
		if packed, err := reply.Pack(); err == nil {
			_, _ = conn.WriteTo(packed, from)
		}
	}
}
