package mcp

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

var aCall = &Message{Method: MethodCall, ID: json.RawMessage("1"), Name: "a", params: []byte(`{"name":"a"}`)}

func TestClassify(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		is     kind
		failed bool
	}{
		`{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`:                    {kindResponse, false},
		`{"jsonrpc":"2.0","id":1,"result":{"isError":false}}`:                 {kindResponse, false},
		`{"jsonrpc":"2.0","id":1,"result":{"isError": true}}`:                 {kindResponse, true},
		`{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete"}}`:         {kindResponse, false},
		`{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required"}}`:   {kindResponse, true},
		`{"jsonrpc":"2.0","id":1,"result":{"resultType":"payment_required"}}`: {kindResponse, true},
		`{"jsonrpc":"2.0","id":1,"error":{"code":1}}`:                         {kindResponse, true},
		`{"jsonrpc":"2.0","id":null,"error":{"code":1}}`:                      {kindResponse, true},
		`{"jsonrpc":"2.0","id":2,"result":{}}`:                                {kindOther, false},
		`{"jsonrpc":"2.0","id":1,"method":"roots/list"}`:                      {kindRequest, false},
		`{"jsonrpc":"2.0","method":"notifications/progress"}`:                 {kindProgress, false},
		`{"jsonrpc":"2.0","method":"notifications/message"}`:                  {kindOther, false},
		`{"jsonrpc":"2.0","id":1,"result":{"isError":true}`:                   {kindOther, false},
		`[]`: {kindOther, false}, ``: {kindOther, false},
	} {
		if is, failed := aCall.classify([]byte(text)); is != want.is || failed != want.failed {
			t.Errorf("%s: got %d, %t, want %d, %t", text, is, failed, want.is, want.failed)
		}
	}
}

func TestAnswer(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ response, receipt, want string }{
		{`{"jsonrpc":"2.0","id":7,"result":{"a":1}}`, "", `{"jsonrpc":"2.0","result":{"a":1},"id":1}`},
		{`{"id":7,"result":{"_meta":{"x":1},"a":1}}`, `{"success":true}`, `{"id":1,"result":{"a":1,"_meta":{"x":1,"x402/payment-response":{"success":true}}}}`},
		{`{"id":7,"result":{"_meta":{"x402/payment-response":"forged"}}}`, `{}`, `{"id":1,"result":{"_meta":{"x402/payment-response":{}}}}`},
		{`{"id":7,"error":{}}`, `{}`, `{"error":{},"id":1}`},
		{`not JSON`, `{}`, `not JSON`},
	} {
		var receipt json.RawMessage
		if tt.receipt != "" {
			receipt = json.RawMessage(tt.receipt)
		}
		got := aCall.Answer([]byte(tt.response), receipt)
		if !sameJSON(t, got, []byte(tt.want)) {
			t.Errorf("%s: got %s, want %s", tt.response, got, tt.want)
		}
	}
}

func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return bytes.Equal(a, b)
	}
	p, _ := json.Marshal(x)
	q, _ := json.Marshal(y)
	return bytes.Equal(p, q)
}

func TestEvents(t *testing.T) {
	t.Parallel()
	stream := "data: 1\n\n" + ": a comment\r\n\r\n" + "id: 1\rdata: 2\r\r" + "event: message\ndata:3\ndata: 4\n\n" + "event: ping\ndata: 5\n\n" + "data: cut"
	want := []string{"1", "", "2", "3\n4", ""}
	for size := 1; size <= len(stream); size++ {
		var all events
		var got []string
		var text strings.Builder
		for part := range slices.Chunk([]byte(stream), size) {
			all.add(part)
			for event, ok := all.next(); ok; event, ok = all.next() {
				got = append(got, string(data(event)))
				text.Write(event)
			}
		}
		if rest := string(all.rest()); !slices.Equal(got, want) || rest != "data: cut" || text.String()+rest != stream {
			t.Fatalf("in parts of %d: got %q and %q, want %q", size, got, rest, want)
		}
	}
	if got := data(Event([]byte("{\n\"a\":1}"))); string(got) != "{\n\"a\":1}" {
		t.Errorf("got %q", got)
	}
}

type fixedRoom int64

func (r fixedRoom) Grow(bytes int64) bool { return bytes <= int64(r) }

type liveLog struct{ sent, queued []string }

func (l *liveLog) Send(event []byte, _ http.Header) error {
	l.sent = append(l.sent, string(data(event)))
	return nil
}
func (l *liveLog) Queue(event []byte) { l.queued = append(l.queued, string(data(event))) }

// FuzzStream checks that a watcher changes nothing, and that a holder writes one response whatever the server sends.
func FuzzStream(f *testing.F) {
	result := `{"jsonrpc":"2.0","id":1,"result":{}}`
	f.Add([]byte(result), false, uint8(3))
	f.Add([]byte("id: 1\ndata:\n\nevent: message\r\ndata: "+result+"\r\n\r\n"), true, uint8(5))
	f.Add([]byte("data: {\"method\":\"a\",\"id\":2}\n\ndata: {\"method\":\"b\"}\n\n"), true, uint8(7))
	f.Fuzz(func(t *testing.T, text []byte, isStream bool, size uint8) {
		serve := func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			if isStream {
				w.Header().Set("Content-Type", "text/event-stream")
			}
			w.WriteHeader(http.StatusOK)
			for part := range slices.Chunk(text, int(size)+1) {
				if _, err := w.Write(part); err != nil {
					t.Fatal(err)
				}
			}
		}
		seen := httptest.NewRecorder()
		watcher := NewWatcher(seen, aCall, fixedRoom(HeldMax))
		serve(watcher)
		if err := watcher.Finish(); err != nil || !bytes.Equal(seen.Body.Bytes(), text) || seen.Code != http.StatusOK {
			t.Errorf("watcher: got %v, %q, want %q", err, seen.Body, text)
		}
		held := httptest.NewRecorder()
		holder := NewHolder(held, aCall, fixedRoom(HeldMax), &liveLog{})
		serve(holder)
		err := holder.Finish()
		is, failed := aCall.classify(held.Body.Bytes())
		if err != nil || is != kindResponse || failed != (held.Header().Get(edgewire.CostHeader) == "0") {
			t.Errorf("holder: got %v, %q, header %v", err, held.Body, held.Header())
		}
	})
}

func TestHolder(t *testing.T) {
	t.Parallel()
	const (
		result   = `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`
		request  = `{"jsonrpc":"2.0","id":"s1","method":"roots/list"}`
		progress = `{"jsonrpc":"2.0","method":"notifications/progress"}`
		log      = `{"jsonrpc":"2.0","method":"notifications/message"}`
	)
	for _, tt := range []struct {
		name, media, encoding, body string
		status                      int
		want                        string // the response, or a part of the reason why there is none
		free                        bool
		sent, queued                []string
	}{
		{name: "JSON", media: "application/json; charset=utf-8", body: result, want: result},
		{
			name: "events", media: "text/event-stream",
			body: "id: 1\ndata:\n\ndata: " + request + "\n\ndata: " + log + "\n\ndata: " + progress + "\n\ndata: " + result + "\n\ndata: " + log + "\n\n",
			want: result, sent: []string{request, progress}, queued: []string{log},
		},
		{name: "a last event without its end", media: "text/event-stream", body: "data: " + result + "\n", want: result},
		{name: "no response", media: "text/event-stream", body: "data: " + log + "\n\n", want: "ended its response", free: true, queued: []string{log}},
		{name: "another response", media: "application/json", body: `{"jsonrpc":"2.0","id":2,"result":{}}`, want: "ended its response", free: true},
		{name: "another media type", media: "text/html", body: "<p>", want: "not one to a message", free: true},
		{name: "compressed", media: "application/json", encoding: "gzip", body: result, want: "not compressed", free: true},
		{name: "too large", media: "application/json", body: strings.Repeat("x", 100<<10), want: "too large", free: true},
		{name: "nothing", media: "application/json", want: "ended its response", free: true},
		{name: "a status", media: "text/plain", status: 404, body: "no session", want: "no session"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w, live := httptest.NewRecorder(), &liveLog{}
			h := NewHolder(w, aCall, fixedRoom(64<<10), live)
			h.Header().Set("Content-Type", tt.media)
			if tt.encoding != "" {
				h.Header().Set("Content-Encoding", tt.encoding)
			}
			if tt.status != 0 {
				h.WriteHeader(tt.status)
			}
			for part := range slices.Chunk([]byte(tt.body), 10) {
				if _, err := h.Write(part); err != nil {
					t.Fatal(err)
				}
				h.Flush()
			}
			if err := h.Finish(); err != nil {
				t.Fatal(err)
			}
			if got := w.Body.String(); !strings.Contains(got, tt.want) || w.Code != max(tt.status, 200) {
				t.Errorf("got %d %s, want %s", w.Code, got, tt.want)
			}
			if free := w.Header().Get(edgewire.CostHeader) == "0"; free != tt.free {
				t.Errorf("got free %t, want %t", free, tt.free)
			}
			if !slices.Equal(live.sent, tt.sent) || !slices.Equal(live.queued, tt.queued) {
				t.Errorf("got sent %q and queued %q, want %q and %q", live.sent, live.queued, tt.sent, tt.queued)
			}
		})
	}
}

func TestWatcherHoldsTheHeader(t *testing.T) {
	t.Parallel()
	failed := `{"jsonrpc":"2.0","id":1,"result":{"isError":true}}`
	for _, tt := range []struct {
		name, media string
		parts       []string
		room        int64
		cost        string // in the header
		failed      bool
	}{
		{"JSON", "application/json", []string{failed[:10], failed[10:]}, 0, "0", true},
		{"the first event", "text/event-stream", []string{"data: " + failed, "\n\n"}, 0, "0", true},
		{"a later event", "text/event-stream", []string{"data:\n\n", "data: " + failed + "\n\n"}, 0, "", true},
		{"a last event without its end", "text/event-stream", []string{"data:\n\n", "data: " + failed}, 0, "", true},
		{"no room", "application/json", []string{strings.Repeat(" ", 20<<10), failed}, 0, "", false},
		{"room", "application/json", []string{strings.Repeat(" ", 20<<10), failed}, 1 << 20, "0", true},
		{"another media type", "text/plain", []string{failed}, 0, "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			rec := httptest.NewRecorder()
			w := NewWatcher(rec, aCall, fixedRoom(tt.room))
			w.Header().Set("Content-Type", tt.media)
			for _, part := range tt.parts {
				if _, err := io.WriteString(w, part); err != nil {
					t.Fatal(err)
				}
				w.Flush()
			}
			if err := w.Finish(); err != nil {
				t.Fatal(err)
			}
			if cost := rec.Result().Header.Get(edgewire.CostHeader); cost != tt.cost || w.Failed() != tt.failed || rec.Body.String() != strings.Join(tt.parts, "") {
				t.Errorf("got cost %q, failed %t, body %q", cost, w.Failed(), rec.Body)
			}
		})
	}
}

func TestRefuse(t *testing.T) {
	t.Parallel()
	prompt := &Message{Method: "prompts/get", ID: json.RawMessage(`"p"`)}
	required := json.RawMessage(`{"x402Version":2,"accepts":[]}`)
	for _, tt := range []struct {
		name string
		got  []byte
		want string
	}{
		{"a call", aCall.Refuse("no", nil), `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":"no"}],"isError":true}}`},
		{"a prompt", prompt.Refuse("no", nil), `{"jsonrpc":"2.0","id":"p","error":{"code":-32603,"message":"no"}}`},
		{"an unpaid call", aCall.RequirePayment(required, "", json.RawMessage(`{}`)), `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete",` +
			`"content":[{"type":"text","text":"{\"x402Version\":2,\"accepts\":[]}"}],"structuredContent":{"x402Version":2,"accepts":[]},"isError":true,"_meta":{"x402/payment-response":{}}}}`},
		{"an unpaid prompt", prompt.RequirePayment(required, "pay", nil), `{"jsonrpc":"2.0","id":"p","error":{"code":402,"message":"pay","data":{"x402Version":2,"accepts":[]}}}`},
		{"a message without an id", (&Error{Code: -1, Loc: in("id"), Message: "<no>"}).Body(), `{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"body.id: <no>"}}`},
	} {
		if string(tt.got) != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, tt.got, tt.want)
		}
	}
}
