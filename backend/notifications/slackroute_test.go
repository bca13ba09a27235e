package notifications_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/notifications"
	"github.com/turnpike-edge/turnpike/backend/queue/outbox"
)

func slackTo(r *receiver) outbox.Channel {
	return outbox.Channel{Type: outbox.ChannelSlack, Target: "https://" + r.Listener.Addr().String() + "/services/T0/B0/secret"}
}

// payload is the body of a POST to Slack.
type payload struct {
	Text   string `json:"text"`
	Blocks []struct {
		Type     string `json:"type"`
		Text     struct{ Type, Text string }
		Elements []struct{ Type, Text string }
	} `json:"blocks"`
}

func TestSlack(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, func(w http.ResponseWriter, _ *http.Request, _ int) { _, _ = w.Write([]byte("ok")) })
	p := setup(t, options{slack: r, channels: []outbox.Channel{slackTo(r)}})
	p.tell("changed", 18)
	p.ended()
	posts, d := r.got(), p.only()
	if len(posts) != 1 || posts[0].header.Get("Content-Type") != "application/json" || d.Status != "delivered" || *d.StatusCode != 200 {
		t.Fatalf("got %d posts, %+v, want one, delivered", len(posts), d)
	}
	var got payload
	must(t, json.Unmarshal(posts[0].raw, &got))
	if want := "Price &lt;b&gt;fell&lt;/b&gt; &amp; more: 19.99 to 18.49"; got.Text != want {
		t.Errorf("text: got %q, want %q", got.Text, want)
	}
	if b := got.Blocks; len(b) != 4 || b[0].Type != "header" || b[0].Text.Text != `Changed: price of the "Blue" <kettle>` ||
		b[1].Text.Text != got.Text || !strings.Contains(b[3].Elements[0].Text, d.EventID) {
		t.Fatalf("got the blocks %+v, want title, summary, change and note", b)
	}
	want := "*Kettles › Price*\n<https://shop.example.com/kettle?a=1&amp;b=2|shop.example.com/kettle?a=1&amp;b=2>\n" +
		"− €19.99 &lt;s&gt;\n+ €18.49 &amp; &lt;!channel&gt;"
	if got := got.Blocks[2].Text.Text; got != want {
		t.Errorf("got the change\n%s\nwant\n%s", got, want)
	}
}

// Retries wait as long as Slack asks, and permanent errors end them. The Slack URL is a secret, and in no error.
func TestSlackAnswers(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, func(w http.ResponseWriter, _ *http.Request, n int) {
		if n == 0 {
			w.Header().Set("Retry-After", "2")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte("no_service"))
	})
	p := setup(t, options{slack: r, channels: []outbox.Channel{slackTo(r)}})
	p.tell("changed", 1)
	r.until(t, 1)
	began := time.Now()
	r.until(t, 2)
	if got := time.Since(began); got < 1500*time.Millisecond {
		t.Errorf("asked to wait 2 s: got the next try after %s", got)
	}
	p.ended()
	if d := p.only(); d.Status != "failed" || d.Attempts != 2 || *d.StatusCode != 404 || *d.Error != "answered 404: no_service" {
		t.Errorf("got %+v, %s, want it given up after two tries, by Slack's word", d, said(d))
	}
	r.CloseClientConnections()
	r.Close()
	p.tell("changed", 2)
	p.ended()
	if d := p.list()[0]; d.Status != "failed" || d.Attempts != 3 || *d.Error != "connect" {
		t.Errorf("nobody there: got %+v, %s", d, said(d))
	}
}

// A host that is no longer allowed gets nothing.
func TestSlackHostIsHeldAgainstTheSettings(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, status(200))
	p := setup(t, options{slack: r, channels: []outbox.Channel{slackTo(r)}, config: func(c *notifications.Config) { c.Targets.SlackHosts = nil }})
	p.tell("changed", 1)
	p.ended()
	if d := p.only(); d.Status != "failed" || d.Attempts != 1 || len(r.got()) != 0 {
		t.Errorf("got %+v and %d posts, want none", d, len(r.got()))
	}
}
