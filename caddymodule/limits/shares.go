package limits

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/turnpike-edge/turnpike/admission"
	"github.com/turnpike-edge/turnpike/caddymodule/reload"
	"github.com/turnpike-edge/turnpike/caddymodule/request"
	"github.com/turnpike-edge/turnpike/payments/price"
)

const (
	// quotePlaces is how many quotes an upstream is asked for at the same time.
	quotePlaces = 64
	// sharesWaiting is how many requests of one team or address can wait, and of all without a key together.
	sharesWaiting = 64
	// bufferPatience and quotePatience are how long they wait. Meanwhile the body is not read, so the client waits too.
	bufferPatience = 10 * time.Second
	quotePatience  = 3 * time.Second
)

// Shares are the pools of an edge that teams and addresses share. They and their grants outlive a reload; a new size
// applies from then on.
type Shares struct {
	buffers *admission.Pool // bytes of bodies and of held responses
	quotes  *admission.Pool
}

// sharesKey is the only key of shares in the pool.
type sharesKey struct{}

// OpenShares returns the shares of this process, with room for that many bytes.
func OpenShares(bufferBytes int64) (*Shares, error) {
	shared, _, err := reload.Pool.LoadOrNew(sharesKey{}, func() (caddy.Destructor, error) {
		return &Shares{
			buffers: admission.New(admission.Config{Name: "buffer_bytes", Size: bufferBytes, Waiting: sharesWaiting, Patience: bufferPatience}),
			quotes:  admission.New(admission.Config{Name: "quotes", Size: quotePlaces, Waiting: sharesWaiting, Patience: quotePatience}),
		}, nil
	})
	if err != nil {
		return nil, err
	}
	s, ok := shared.(*Shares)
	if !ok {
		return nil, fmt.Errorf("pool holds a %T as shares", shared)
	}
	s.buffers.Resize(bufferBytes)
	return s, nil
}

// Destruct implements caddy.Destructor.
func (*Shares) Destruct() error { return nil }

// Release releases the shares that OpenShares returned.
func (*Shares) Release() error {
	_, err := reload.Pool.Delete(sharesKey{})
	return err
}

// Collector exports the metrics of the shares, independent of the configuration.
type Collector struct{ admission.Collector }

// Collect implements prometheus.Collector.
func (Collector) Collect(metrics chan<- prometheus.Metric) {
	reload.Pool.Range(func(_, value any) bool {
		if s, ok := value.(*Shares); ok {
			admission.Collector{s.buffers, s.quotes}.Collect(metrics)
		}
		return true
	})
}

// holderOf returns the holder of a request's share: its team, or its address if it has no key. The wallet is unknown
// until its payment has been checked.
func holderOf(ctx context.Context) admission.Holder {
	if found, ok := caddyhttp.GetVar(ctx, request.AccessVar).(*request.Access); ok && found.Principal != nil {
		return admission.Holder{Name: found.Principal.TeamID}
	}
	ip, _ := caddyhttp.GetVar(ctx, caddyhttp.ClientIPVarKey).(string)
	return admission.Holder{Name: subscriberOf(ip).String(), Keyless: true}
}

// Share counts the body of r against its holder's share while it is held. release returns it. Small bodies do not count.
func (s *Shares) Share(r *http.Request) (release func()) {
	if r.Body == nil || r.Body == http.NoBody || 0 <= r.ContentLength && r.ContentLength < price.ReserveFrom {
		return nothingHeld
	}
	if _, isShared := r.Body.(*sharedBody); isShared { // by an earlier handler
		return nothingHeld
	}
	body := &sharedBody{ReadCloser: r.Body, buffers: s.buffers}
	r.Body = body
	return body.release
}

func nothingHeld() {}

// sharedBody is a body that uses its holder's share of the edge's buffers while it is held. See price.Reserver.
type sharedBody struct {
	io.ReadCloser

	buffers *admission.Pool
	room    admission.Grant
	begun   time.Time
	until   time.Time // when it must be complete; zero if it is not held
}

const (
	// A held body must arrive within slowAfter plus its time at slowBytesPerSecond, because others need its room too.
	slowAfter          = 30 * time.Second
	slowBytesPerSecond = 64 << 10
)

var errSlowBody = fmt.Errorf("the client sent less than %d KiB/s", slowBytesPerSecond>>10)

// Reserve implements price.Reserver.
func (b *sharedBody) Reserve(ctx context.Context, bytes int64) error {
	if b.begun.IsZero() {
		b.begun = time.Now()
	}
	b.room.Shrink(bytes)
	if !b.room.Grow(bytes) {
		// Release what it holds already. Otherwise growing bodies could wait for each other forever.
		b.room.Release()
		var err error
		b.room, err = b.buffers.Enter(admission.With(ctx, holderOf(ctx)), bytes)
		if errors.Is(err, admission.ErrOverloaded) {
			return fmt.Errorf("%w: %d bytes of request bodies", price.ErrOverloaded, bytes)
		}
		if err != nil {
			return err
		}
	}
	b.until = b.begun.Add(slowAfter + time.Duration(bytes)*time.Second/slowBytesPerSecond)
	return nil
}

// Read implements io.Reader.
func (b *sharedBody) Read(p []byte) (int, error) {
	if !b.until.IsZero() && time.Now().After(b.until) {
		return 0, errSlowBody
	}
	return b.ReadCloser.Read(p)
}

func (b *sharedBody) release() {
	b.room.Release()
	b.until = time.Time{}
}

// sharedQuoter asks for quotes within the holder's share.
type sharedQuoter struct {
	price.Quoter

	places *admission.Pool
}

// Quote implements price.Quoter.
func (q *sharedQuoter) Quote(ctx context.Context, req *price.QuoteRequest) (int64, error) {
	place, err := q.places.Enter(admission.With(ctx, holderOf(ctx)), 1)
	if errors.Is(err, admission.ErrOverloaded) {
		err = fmt.Errorf("%w: quote requests", price.ErrOverloaded)
	}
	if err != nil {
		return 0, err
	}
	defer place.Release()
	return q.Quoter.Quote(ctx, req)
}

// Quoter returns a quoter that asks below for quotes within the share of the request's holder.
func (s *Shares) Quoter(below price.Quoter) price.Quoter {
	return &sharedQuoter{Quoter: below, places: s.quotes}
}

// Room is the room of a held response, in its holder's share of the edge's buffers.
type Room struct {
	ctx     context.Context //nolint:containedctx // of the request that the response belongs to
	buffers *admission.Pool
	held    admission.Grant
}

// Room returns room, of which nothing is used yet, for the response to a request with this context.
func (s *Shares) Room(ctx context.Context) *Room {
	return &Room{ctx: ctx, buffers: s.buffers}
}

// Release returns the room.
func (s *Room) Release() { s.held.Release() }

// roomStep is the least by which it grows, in bytes.
const roomStep = 64 << 10

// Grow makes room for that many bytes, and reports whether there is enough.
func (s *Room) Grow(bytes int64) (ok bool) {
	if bytes <= s.held.Held() {
		return true
	}
	bytes = (bytes/roomStep + 1) * roomStep
	if s.held.Held() > 0 {
		return s.held.Grow(bytes)
	}
	s.held, ok = s.buffers.Try(admission.With(s.ctx, holderOf(s.ctx)), bytes)
	return ok
}

// Interface guards
var (
	_ price.Reserver = (*sharedBody)(nil)
	_ price.Quoter   = (*sharedQuoter)(nil)
)
