//go:build linux

package e2e

import (
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// toyNames is a name server whose responses have a TTL of zero.
type toyNames struct {
	conn    net.PacketConn
	address string

	mu sync.Mutex
	// answers lists the responses to each name, used in turn, over and over. Spaces separate several addresses.
	answers map[string][]string
	asked   map[string]int
}

// Each name server has its own loopback address, because resolv.conf can set an address but no port.
const (
	toyNamesAddress    = "127.0.53.79"
	politeNamesAddress = "127.0.53.80"
)

// newToyNames starts a name server, or returns nil and logs why it cannot.
func newToyNames(t *testing.T, address string, answers map[string][]string) *toyNames {
	t.Helper()
	if os.Getuid() != 0 {
		t.Log("no names of our own: only root can give a process another name server")
		return nil
	}
	if out, err := exec.Command("unshare", "--mount", "true").CombinedOutput(); err != nil {
		t.Logf("no names of our own: %v: %s", err, out)
		return nil
	}
	conn, err := net.ListenPacket("udp", address+":53")
	if err != nil {
		t.Logf("no names of our own: %v", err)
		return nil
	}
	n := &toyNames{conn: conn, address: address, answers: answers, asked: map[string]int{}}
	go n.serve()
	t.Cleanup(func() { conn.Close() })
	return n
}

// wrap returns the command prefix that makes a process use the name server.
func (n *toyNames) wrap(t *testing.T, dir string) []string {
	t.Helper()
	if n == nil {
		return nil
	}
	conf := filepath.Join(dir, "resolv.conf")
	if err := os.WriteFile(conf, []byte("nameserver "+n.address+"\noptions timeout:2 attempts:1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return []string{"unshare", "--mount", "sh", "-c", `mount --bind "$0" /etc/resolv.conf && exec env GODEBUG=netdns=go "$@"`, conf}
}

func (n *toyNames) serve() {
	buffer := make([]byte, 1500)
	for {
		size, from, err := n.conn.ReadFrom(buffer)
		if err != nil {
			return
		}
		var query dnsmessage.Message
		if query.Unpack(buffer[:size]) != nil || len(query.Questions) != 1 {
			continue
		}
		reply := n.reply(query.ID, query.Questions[0])
		if packed, err := reply.Pack(); err == nil {
			_, _ = n.conn.WriteTo(packed, from)
		}
	}
}

func (n *toyNames) reply(id uint16, question dnsmessage.Question) *dnsmessage.Message {
	reply := &dnsmessage.Message{
		Header:    dnsmessage.Header{ID: id, Response: true, Authoritative: true, RecursionAvailable: true},
		Questions: []dnsmessage.Question{question},
	}
	addrs, known := n.next(strings.TrimSuffix(question.Name.String(), "."), question.Type)
	if !known {
		reply.RCode = dnsmessage.RCodeNameError
	}
	for _, addr := range addrs {
		header := dnsmessage.ResourceHeader{Name: question.Name, Type: question.Type, Class: dnsmessage.ClassINET}
		var body dnsmessage.ResourceBody = &dnsmessage.AAAAResource{AAAA: addr.As16()}
		if question.Type == dnsmessage.TypeA {
			body = &dnsmessage.AResource{A: addr.As4()}
		}
		reply.Answers = append(reply.Answers, dnsmessage.Resource{Header: header, Body: body})
	}
	return reply
}

// next returns the current response for a name. Each A query moves to the next one.
func (n *toyNames) next(name string, kind dnsmessage.Type) (addrs []netip.Addr, known bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	answers := n.answers[strings.ToLower(name)]
	if len(answers) == 0 {
		return nil, false
	}
	turn := answers[n.asked[name]%len(answers)]
	if kind == dnsmessage.TypeA {
		n.asked[name]++
	}
	for text := range strings.FieldsSeq(turn) {
		addr := netip.MustParseAddr(text)
		if (kind == dnsmessage.TypeA) == addr.Is4() && (kind == dnsmessage.TypeA || kind == dnsmessage.TypeAAAA) {
			addrs = append(addrs, addr)
		}
	}
	return addrs, true
}
