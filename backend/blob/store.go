package blob

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"gocloud.dev/blob"
	"gocloud.dev/blob/fileblob"
	"gocloud.dev/blob/memblob"
	"gocloud.dev/gcerrors"
)

// Limits for engines that write in parts, such as S3: how many parts of an object are in memory, beside the one being
// read, and their size, the minimum of S3. More or larger parts do not make one client's upload faster.
const (
	writeParts     = 1
	writePartBytes = 5 << 20
)

// ErrNotFound is returned if there is no object under a key.
var ErrNotFound = errors.New("no such object")

// Store keeps objects under keys. It is safe for concurrent use.
type Store struct{ bucket *blob.Bucket }

// Info describes an object.
type Info struct {
	Key         string
	ContentType string
	// Size is in bytes.
	Size    int64
	ModTime time.Time
	// ETag is a quoted entity tag (RFC 9110 section 8.8.3), or "".
	ETag string
}

// Object is an object that is open for reading. Close it.
type Object struct {
	io.ReadSeekCloser
	Info Info
}

// Open opens a store: a directory by its path or as file:///path, created if missing; mem:// for tests; any other URL
// by the gocloud.dev/blob driver of its scheme, if one is compiled in.
func Open(ctx context.Context, location string) (*Store, error) {
	scheme, _, hasScheme := strings.Cut(location, "://")
	switch {
	case location == "":
		return nil, errors.New("opening blob store: no location given: want a directory or a URL")
	case !hasScheme:
		return openDirectory(location)
	case scheme == "file":
		u, err := url.Parse(location)
		if err != nil || (u.Host != "" && u.Host != "localhost") || u.Path == "" || u.RawQuery != "" {
			return nil, fmt.Errorf("opening blob store %q: want file:///absolute/path", location)
		}
		return openDirectory(filepath.FromSlash(u.Path))
	case scheme == "mem":
		return &Store{memblob.OpenBucket(nil)}, nil
	}
	bucket, err := blob.OpenBucket(ctx, location)
	if err != nil {
		return nil, fmt.Errorf("opening blob store with scheme %q: %w", scheme, err)
	}
	return &Store{bucket}, nil
}

func openDirectory(dir string) (*Store, error) {
	bucket, err := fileblob.OpenBucket(dir, &fileblob.Options{
		CreateDir:   true,
		DirFileMode: 0o700,
		// Temporary files are renamed into place. From the system's temporary directory, often another file system,
		// that would fail.
		NoTempDir: true,
	})
	if err != nil {
		return nil, fmt.Errorf("opening blob store in directory %s: %w", dir, err)
	}
	return &Store{bucket}, nil
}

// Close releases the engine. The store cannot be used afterwards.
func (s *Store) Close() error { return s.bucket.Close() }

// Ready reports whether the engine is reachable.
func (s *Store) Ready(ctx context.Context) error {
	ok, err := s.bucket.IsAccessible(ctx)
	if err != nil {
		return fmt.Errorf("connecting to blob store: %w", err)
	}
	if !ok {
		return errors.New("connecting to blob store: no such bucket or directory")
	}
	return nil
}

// Put writes data under key, replacing an earlier object. An empty contentType is application/octet-stream.
func (s *Store) Put(ctx context.Context, key, contentType string, data []byte) error {
	return s.PutFrom(ctx, key, contentType, bytes.NewReader(data))
}

// PutFrom writes the content of r. If r fails or ctx ends, nothing is written.
func (s *Store) PutFrom(ctx context.Context, key, contentType string, r io.Reader) error {
	if err := CheckKey(key); err != nil {
		return err
	}
	if contentType == "" {
		contentType = defaultContentType
	}
	// The engine aborts an upload whose context ends before Close. Close alone would commit the part that arrived.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w, err := s.bucket.NewWriter(ctx, key, &blob.WriterOptions{
		ContentType: contentType, MaxConcurrency: writeParts, BufferSize: writePartBytes,
	})
	if err != nil {
		return fmt.Errorf("writing %s: %w", key, err)
	}
	if _, err := io.Copy(w, r); err != nil {
		cancel()
		_ = w.Close()
		return fmt.Errorf("writing %s: %w", key, err)
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("writing %s: %w", key, err)
	}
	return nil
}

// Copy writes the object under from also under to, without reading it here if the engine can. The error is ErrNotFound if
// there is none.
func (s *Store) Copy(ctx context.Context, to, from string) error {
	if err := errors.Join(CheckKey(to), CheckKey(from)); err != nil {
		return err
	}
	if err := s.bucket.Copy(ctx, to, from, nil); err != nil {
		return failed("copying", from, err)
	}
	return nil
}

// Open opens the object under key. The error is ErrNotFound if there is none. The object reads under ctx.
func (s *Store) Open(ctx context.Context, key string) (*Object, error) {
	if err := CheckKey(key); err != nil {
		return nil, err
	}
	attributes, err := s.bucket.Attributes(ctx, key)
	if err != nil {
		return nil, failed("reading", key, err)
	}
	r, err := s.bucket.NewReader(ctx, key, nil)
	if err != nil {
		return nil, failed("reading", key, err)
	}
	return &Object{ReadSeekCloser: r, Info: Info{
		Key: key, ContentType: attributes.ContentType, Size: attributes.Size, ModTime: attributes.ModTime,
		ETag: quoted(attributes.ETag),
	}}, nil
}

// Read returns the whole object under key. The error is ErrNotFound if there is none.
func (s *Store) Read(ctx context.Context, key string) ([]byte, error) {
	if err := CheckKey(key); err != nil {
		return nil, err
	}
	data, err := s.bucket.ReadAll(ctx, key)
	if err != nil {
		return nil, failed("reading", key, err)
	}
	return data, nil
}

// Delete removes the object under key. A missing object is no error, so that Delete can be retried.
func (s *Store) Delete(ctx context.Context, key string) error {
	if err := CheckKey(key); err != nil {
		return err
	}
	if err := failed("deleting", key, s.bucket.Delete(ctx, key)); err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	return nil
}

// DeleteAll removes all objects whose keys begin with segments and a slash. No such objects is no error.
func (s *Store) DeleteAll(ctx context.Context, segments string) error {
	if err := CheckKey(segments); err != nil {
		return err
	}
	objects := s.bucket.List(&blob.ListOptions{Prefix: segments + "/"})
	for {
		object, err := objects.Next(ctx)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return failed("listing", segments, err)
		}
		// Delete everything there, including files that an engine left half written under names of its own.
		if err := failed("deleting", object.Key, s.bucket.Delete(ctx, object.Key)); err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
	}
}

func failed(verb, key string, err error) error {
	switch {
	case err == nil:
		return nil
	case gcerrors.Code(err) == gcerrors.NotFound:
		return fmt.Errorf("%s %s: %w", verb, key, ErrNotFound)
	default:
		return fmt.Errorf("%s %s: %w", verb, key, err)
	}
}

// quoted turns an engine's entity tag into a valid one: some engines omit the quotes.
func quoted(etag string) string {
	if etag == "" || strings.HasPrefix(etag, `"`) || strings.HasPrefix(etag, `W/"`) {
		return etag
	}
	return `"` + strings.ReplaceAll(etag, `"`, "") + `"`
}
