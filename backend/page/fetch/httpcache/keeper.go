package httpcache

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/db"
)

const (
	// keptFor is how long a copy may be revalidated.
	keptFor = 24 * time.Hour
	// validatorBytesMax is the longest validator that is kept. Real ones are short.
	validatorBytesMax = 1024
)

// Fetcher fetches URLs. A *fetch.Client implements it.
type Fetcher interface {
	Get(ctx context.Context, r fetch.Request) (*fetch.Response, error)
}

// Blobs stores bodies. A *blob.Store implements it.
type Blobs interface {
	Put(ctx context.Context, key, contentType string, data []byte) error
	Read(ctx context.Context, key string) ([]byte, error)
	Delete(ctx context.Context, key string) error
}

// Config configures a Keeper. All fields are required.
type Config struct {
	Queries *db.Queries
	Fetcher Fetcher
	Blobs   Blobs
	Logger  *slog.Logger
	Now     func() time.Time
}

// Keeper fetches through the cache. It is safe for concurrent use.
type Keeper struct{ config Config }

// New makes a Keeper.
func New(config Config) (*Keeper, error) {
	if config.Queries == nil || config.Fetcher == nil || config.Blobs == nil || config.Logger == nil || config.Now == nil {
		return nil, errors.New("copies: Queries, Fetcher, Blobs, Logger and Now are required")
	}
	return &Keeper{config: config}, nil
}

// Get is fetch.Client.Get for a team. If the host confirms the team's copy, the response is the copy, with the header
// updated from the confirmation.
func (k *Keeper) Get(ctx context.Context, teamID string, r fetch.Request) (*fetch.Response, error) {
	if !k.applies(r) {
		return k.config.Fetcher.Get(ctx, r)
	}
	id := identify(teamID, r.URL)
	found := k.find(ctx, id)
	response, err := k.config.Fetcher.Get(ctx, found.ask(r))
	if err != nil {
		return nil, err
	}
	if found != nil && response.StatusCode == http.StatusNotModified {
		if whole := k.restore(ctx, found, r.URL, response); whole != nil {
			return whole, nil
		}
		if response, err = k.config.Fetcher.Get(ctx, r); err != nil {
			return nil, err
		}
	}
	k.keep(ctx, id, response)
	return response, nil
}

// applies reports whether r may use the cache. A recorded request may not: its record must contain the full response, not a
// 304.
func (k *Keeper) applies(r fetch.Request) bool {
	return !r.Record && len(r.Header) == 0 && r.HeadBytes == 0 && !r.NoRedirects && (r.Session == nil || r.Session.Fresh())
}

// identity is the key of a copy.
type identity struct {
	teamID    string
	urlSHA256 [sha256.Size]byte
}

func identify(teamID string, u fetch.URL) identity {
	return identity{teamID: teamID, urlSHA256: sha256.Sum256([]byte(u.WithoutFragment()))}
}

func (i identity) blobKey() string {
	return "copies/" + i.teamID + "/" + hex.EncodeToString(i.urlSHA256[:])
}

// found is a copy whose body has not been read yet.
type found struct {
	identity

	etag, lastModified string
	response           []byte
	bodySHA256         []byte
	blobKey            string
}

// stored is a response without its body, as kept in the database.
type stored struct {
	Header    http.Header `json:"header"`
	MediaType string      `json:"media_type"`
	Charset   string      `json:"charset"`
}

// find returns the team's copy, or nil.
func (k *Keeper) find(ctx context.Context, id identity) *found {
	row, err := k.config.Queries.CopyOf(ctx, db.CopyOfParams{TeamID: id.teamID, UrlSha256: id.urlSHA256[:], Now: k.config.Now()})
	if err != nil {
		if !errors.Is(err, pgx.ErrNoRows) {
			k.warn(ctx, "looking up a copy failed", err)
		}
		return nil
	}
	return &found{
		identity: id, etag: row.Etag, lastModified: row.LastModified, response: row.Response, bodySHA256: row.BodySha256, blobKey: row.BlobKey,
	}
}

// ask adds the copy's validators to r, if there is a copy.
func (f *found) ask(r fetch.Request) fetch.Request {
	if f == nil {
		return r
	}
	r.Header = http.Header{}
	if f.etag != "" {
		r.Header.Set("If-None-Match", f.etag)
	}
	if f.lastModified != "" {
		r.Header.Set("If-Modified-Since", f.lastModified)
	}
	return r
}

// restore returns the copy as a response, or nil if its body does not match. The header is updated as in RFC 9111 section
// 3.2.
func (k *Keeper) restore(ctx context.Context, f *found, u fetch.URL, confirmed *fetch.Response) *fetch.Response {
	body, err := k.config.Blobs.Read(ctx, f.blobKey)
	if err != nil {
		k.warn(ctx, "reading a copy failed", err)
		return nil
	}
	if sha256.Sum256(body) != [sha256.Size]byte(f.bodySHA256) {
		return nil // replaced in between
	}
	var s stored
	if err := json.Unmarshal(f.response, &s); err != nil {
		k.warn(ctx, "reading a copy failed", err)
		return nil
	}
	if s.Header == nil {
		s.Header = http.Header{}
	}
	for name, values := range confirmed.Header {
		if name != "Content-Type" && name != "Content-Range" {
			s.Header[name] = values
		}
	}
	return &fetch.Response{
		URL: u, StatusCode: http.StatusOK, Header: s.Header, MediaType: s.MediaType, Charset: s.Charset, Body: body,
	}
}

// keep stores a response that can be revalidated.
func (k *Keeper) keep(ctx context.Context, id identity, r *fetch.Response) {
	etag, lastModified := validators(r)
	if etag == "" && lastModified == "" {
		return
	}
	header := r.Header.Clone()
	header.Del("Set-Cookie")
	response, err := json.Marshal(stored{Header: header, MediaType: r.MediaType, Charset: r.Charset})
	if err != nil {
		k.warn(ctx, "storing a copy failed", err)
		return
	}
	if err := k.config.Blobs.Put(ctx, id.blobKey(), "application/octet-stream", r.Body); err != nil {
		k.warn(ctx, "storing a copy failed", err)
		return
	}
	hash := sha256.Sum256(r.Body)
	if err := k.config.Queries.KeepCopy(ctx, db.KeepCopyParams{
		TeamID: id.teamID, UrlSha256: id.urlSHA256[:], Etag: etag, LastModified: lastModified, Response: response,
		BodySha256: hash[:], BlobKey: id.blobKey(), ExpiresAt: k.config.Now().Add(keptFor),
	}); err != nil {
		k.warn(ctx, "storing a copy failed", err)
	}
}

// validators returns the validators of a response, or nothing if it must not be kept.
func validators(r *fetch.Response) (etag, lastModified string) {
	if r.StatusCode != http.StatusOK || r.Redirects != 0 {
		return "", ""
	}
	for _, name := range []string{"Cache-Control", "Pragma"} {
		if strings.Contains(strings.ToLower(strings.Join(r.Header.Values(name), ",")), "no-store") {
			return "", ""
		}
	}
	if strings.Contains(strings.Join(r.Header.Values("Vary"), ","), "*") {
		return "", ""
	}
	return validator(r.Header.Get("ETag")), validator(r.Header.Get("Last-Modified"))
}

// validator drops a value that no host would recognise, or the database cannot store.
func validator(value string) string {
	if len(value) > validatorBytesMax || strings.IndexFunc(value, func(r rune) bool { return r < ' ' || r > '~' }) >= 0 {
		return ""
	}
	return value
}

// Purge deletes at most rowsMax expired copies and returns how many.
func (k *Keeper) Purge(ctx context.Context, rowsMax int32) (int64, error) {
	now := k.config.Now()
	keys, err := k.config.Queries.ListExpiredCopies(ctx, db.ListExpiredCopiesParams{Now: now, RowsMax: rowsMax})
	if err != nil {
		return 0, fmt.Errorf("listing expired copies: %w", err)
	}
	for _, key := range keys {
		if err := k.config.Blobs.Delete(ctx, key); err != nil {
			return 0, fmt.Errorf("deleting an expired copy: %w", err)
		}
	}
	n, err := k.config.Queries.DeleteExpiredCopies(ctx, db.DeleteExpiredCopiesParams{BlobKeys: keys, Now: now})
	if err != nil {
		return 0, fmt.Errorf("deleting the rows of expired copies: %w", err)
	}
	return n, nil
}

func (k *Keeper) warn(ctx context.Context, what string, err error) {
	if ctx.Err() == nil {
		k.config.Logger.WarnContext(ctx, "a stored copy of a page could not be used", "fault", what, "error", err)
	}
}
