package fetch

import (
	"context"
	"net"
	"net/netip"
	"sync/atomic"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// toyDNS answers each A question with the next of its addresses (TTL 0), and other questions with nothing.
type toyDNS struct {
	conn    net.PacketConn
	answers []netip.Addr
	asked   atomic.Int64
}

func newDNS(t testing.TB, answers ...string) *toyDNS {
	t.Helper()
	conn, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("listening: %v", err)
	}
	d := &toyDNS{conn: conn}
	for _, answer := range answers {
		d.answers = append(d.answers, netip.MustParseAddr(answer))
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		d.serve()
	}()
	t.Cleanup(func() {
		_ = conn.Close()
		<-done
	})
	return d
}

func (d *toyDNS) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var dialer net.Dialer
		return dialer.DialContext(ctx, "udp4", d.conn.LocalAddr().String())
	}}
}

func (d *toyDNS) serve() {
	buffer := make([]byte, 1500)
	for {
		n, from, err := d.conn.ReadFrom(buffer)
		if err != nil {
			return
		}
		var question dnsmessage.Message
		if question.Unpack(buffer[:n]) != nil || len(question.Questions) != 1 {
			continue
		}
		if reply, err := d.answer(question.ID, question.Questions[0]).Pack(); err == nil {
			_, _ = d.conn.WriteTo(reply, from)
		}
	}
}

func (d *toyDNS) answer(id uint16, question dnsmessage.Question) *dnsmessage.Message {
	reply := &dnsmessage.Message{
		Header:    dnsmessage.Header{ID: id, Response: true, Authoritative: true, RecursionAvailable: true},
		Questions: []dnsmessage.Question{question},
	}
	if question.Type != dnsmessage.TypeA {
		return reply
	}
	if len(d.answers) == 0 {
		reply.RCode = dnsmessage.RCodeNameError
		return reply
	}
	addr := d.answers[(d.asked.Add(1)-1)%int64(len(d.answers))]
	reply.Answers = []dnsmessage.Resource{{
		Header: dnsmessage.ResourceHeader{Name: question.Name, Type: dnsmessage.TypeA, Class: dnsmessage.ClassINET},
		Body:   &dnsmessage.AResource{A: addr.As4()},
	}}
	return reply
}
