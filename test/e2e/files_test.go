package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/blob"
	"github.com/turnpike-edge/turnpike/dev/rig"
	"github.com/turnpike-edge/turnpike/dev/s3"
)

const (
	// fileBytesMax is the largest file: 200 MB.
	fileBytesMax = 200_000_000
	lineBytes    = 1000
	// fileGrowthMax is how much a backend may grow while it receives, checks or serves the largest file.
	fileGrowthMax = 64 << 20
	// contentBase is the backend's TURNPIKE_BASE_URL.
	contentBase = "http://content.example.test"
)

// jsonLines reads as a JSON array of strings: one line of 1,000 bytes for each, after the first line.
type jsonLines struct {
	size, at int64
	last     byte // instead of the bracket that ends the array
}

var (
	firstLine = []byte("[" + strings.Repeat(" ", lineBytes-2) + "\n")
	innerLine = []byte(`"` + strings.Repeat("a", lineBytes-4) + "\",\n")
	lastLine  = []byte(`"` + strings.Repeat("a", lineBytes-3) + `"`)
)

func (r *jsonLines) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) && r.at < r.size {
		line := innerLine
		switch r.at / lineBytes {
		case 0:
			line = firstLine
		case r.size/lineBytes - 1:
			line = append(bytes.Clone(lastLine), r.last)
		}
		m := copy(p[n:], line[r.at%lineBytes:])
		n, r.at = n+m, r.at+int64(m)
	}
	if r.at == r.size {
		return n, io.EOF
	}
	return n, nil
}

// fileServer is a backend with its own storage, behind an edge.
type fileServer struct {
	s       *stack
	backend *rig.Process
	edge    string
	key     []string
}

func startFileServer(t *testing.T, s *stack, content string) *fileServer {
	t.Helper()
	address, err := freeAddress()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(s.binary, "backend", "--listen", address)
	cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir(), "DATABASE_URL=" + s.databaseURL, "TURNPIKE_IDENTITY_SECRET=" + identitySecret,
		"TURNPIKE_CONTENT_SECRET=" + contentSecret, "TURNPIKE_BLOB_URL=" + content, "TURNPIKE_BASE_URL=" + contentBase,
		"TURNPIKE_DOCS_URL=" + docsURL, "TURNPIKE_BROWSER=off",
	}, s3.Env()...)
	log := filepath.Join(t.TempDir(), "backend.log")
	f := &fileServer{s: s, key: bearerOf(s.purse(t, 0).key)}
	if f.backend, err = rig.Start(cmd, log); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), stopTimeout)
		defer cancel()
		if err := f.backend.Stop(ctx); err != nil {
			t.Error(err)
		}
	})
	if err := awaitStatus(t.Context(), "http://"+address+"/readyz", http.StatusOK, f.backend.Done()); err != nil {
		text, _ := os.ReadFile(log)
		t.Fatalf("starting the backend: %v\n%s", err, text)
	}
	if f.edge, err = s.startEdge(t.Context(), "http://"+address); err != nil {
		t.Fatal(err)
	}
	return f
}

func (f *fileServer) call(method, path, body string) call {
	return call{method: method, url: f.edge + path, body: body}.with(f.key...)
}

// upload is the response to the creation of a file.
type upload struct {
	ID        string `json:"id"`
	UploadURL string `json:"upload_url"`
	ExpiresIn int    `json:"expires_in"`
}

func (f *fileServer) create(t *testing.T) upload {
	t.Helper()
	a := f.call(http.MethodPost, "/v1/files", `{"filename":"items.json","purpose":"batch"}`).do(t)
	a.wantStatus(t, http.StatusOK)
	var u upload
	a.json(t, &u)
	u.UploadURL = f.public(t, u.UploadURL)
	return u
}

// public turns a URL from the backend into one of this test's edge.
func (f *fileServer) public(t *testing.T, address string) string {
	t.Helper()
	path, ok := strings.CutPrefix(address, contentBase)
	if !ok {
		t.Fatalf("got the address %s, want it below %s", address, contentBase)
	}
	return f.edge + path
}

// put sends content without a key. A size of -1 means no Content-Length.
func (f *fileServer) put(t *testing.T, target, contentType string, content io.Reader, size int64) answer {
	t.Helper()
	a, err := f.tryPut(t, target, contentType, content, size)
	if err != nil {
		t.Fatalf("sending a file: %v", err)
	}
	return a
}

func (f *fileServer) tryPut(t *testing.T, target, contentType string, content io.Reader, size int64) (answer, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, target, io.NopCloser(content))
	if err != nil {
		t.Fatal(err)
	}
	r.ContentLength = size
	r.Header.Set("Content-Type", contentType)
	resp, err := http.DefaultTransport.RoundTrip(r) //nolint:bodyclose // read closes it
	if err != nil {
		return answer{}, err
	}
	return read(t, target, resp), nil
}

func (f *fileServer) putText(t *testing.T, target, text string) answer {
	t.Helper()
	return f.put(t, target, "application/json", strings.NewReader(text), int64(len(text)))
}

func (f *fileServer) complete(t *testing.T, id string) answer {
	t.Helper()
	return f.call(http.MethodPost, "/v1/files/"+id+"/complete", "").do(t)
}

// TestFiles uploads and downloads files as clients do, through the edge, with storage on disk and in a bucket.
func TestFiles(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for name, content := range map[string]func(*testing.T) string{
		"disk": func(t *testing.T) string { t.Helper(); return t.TempDir() },
		"s3":   func(t *testing.T) string { t.Helper(); return s3.NewBucket(t) },
	} {
		t.Run(name, func(t *testing.T) {
			f := startFileServer(t, s, content(t))
			t.Run("refused", f.refuses)
			t.Run("200 MB", f.takesTheLargest)
			t.Run("201 MB", f.refusesLarger)
			t.Run("invalid at the last byte", f.namesTheLastByte)
		})
	}
}

func (f *fileServer) refuses(t *testing.T) {
	u, other := f.create(t), f.create(t)
	f.complete(t, u.ID).refused(t, http.StatusNotFound, "not_found", "Nothing was uploaded")
	f.put(t, u.UploadURL, "text/plain", strings.NewReader("{}"), 2).refused(t, http.StatusBadRequest, "validation_error", "Content-Type")
	for _, tampered := range []string{strings.Replace(u.UploadURL, u.ID, other.ID, 1), strings.Replace(u.UploadURL, "exp=", "exp=9", 1)} {
		f.putText(t, tampered, "{}").refused(t, http.StatusForbidden, "access_denied", "signature of this content URL is not valid")
	}
	past, err := blob.NewSigner(blob.SignerConfig{
		Secret: []byte(contentSecret), BaseURL: f.edge, Now: func() time.Time { return time.Now().Add(-11 * time.Minute) },
	})
	if err != nil {
		t.Fatal(err)
	}
	expired, err := past.WriteURL("files/"+u.ID, 10*time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	f.putText(t, expired, "{}").refused(t, http.StatusForbidden, "access_denied", "expired")

	f.putText(t, u.UploadURL, `[1]`).wantStatus(t, http.StatusOK)
	f.putText(t, u.UploadURL, `[1, 2]`).wantStatus(t, http.StatusOK)
	done := f.complete(t, u.ID)
	done.wantStatus(t, http.StatusOK)
	if file := fileIn(t, done); file.Bytes != 6 || file.Items != 2 || file.Status != "completed" {
		t.Errorf("got %+v, want the second upload", file)
	}
	f.complete(t, u.ID).refused(t, http.StatusBadRequest, "invalid_state", "already completed")
	f.putText(t, u.UploadURL, `[]`).refused(t, http.StatusConflict, "invalid_state", "completed")
}

type fileObject struct {
	Bytes, Items int64
	Status       string
}

func fileIn(t *testing.T, a answer) fileObject {
	t.Helper()
	var file fileObject
	a.json(t, &file)
	return file
}

func (f *fileServer) takesTheLargest(t *testing.T) {
	pid, u := f.backend.PID(), f.create(t)
	small := f.create(t) // one-time allocations happen here
	f.putText(t, small.UploadURL, `[1]`).wantStatus(t, http.StatusOK)
	f.complete(t, small.ID).wantStatus(t, http.StatusOK)
	step := func(name string, work func()) {
		t.Helper()
		begun := time.Now()
		used := measure(t, pid, work)
		t.Logf("%s: %s; %.0f MB/s", name, used, fileBytesMax/1e6/time.Since(begun).Seconds())
		if used.growth() > fileGrowthMax {
			t.Errorf("%s: memory grew by %d bytes, want at most %d", name, used.growth(), fileGrowthMax)
		}
	}
	step("uploading", func() {
		f.put(t, u.UploadURL, "application/json", &jsonLines{size: fileBytesMax, last: ']'}, fileBytesMax).wantStatus(t, http.StatusOK)
	})
	step("completing", func() {
		if file := fileIn(t, f.complete(t, u.ID)); file.Bytes != fileBytesMax || file.Items != fileBytesMax/lineBytes-1 || file.Status != "completed" {
			t.Errorf("got %+v, want it completed", file)
		}
	})
	var download struct {
		URL string `json:"download_url"`
	}
	f.call(http.MethodGet, "/v1/files/"+u.ID+"/content", "").do(t).json(t, &download)
	step("downloading", func() { wantDownload(t, f.public(t, download.URL)) })
	a := f.call(http.MethodDelete, "/v1/files/"+u.ID, "").do(t)
	a.wantStatus(t, http.StatusOK)
	call{method: http.MethodGet, url: f.public(t, download.URL)}.do(t).refused(t, http.StatusNotFound, "not_found", "deleted")
}

func wantDownload(t *testing.T, address string) {
	t.Helper()
	want, got := crc32.New(castagnoli), crc32.New(castagnoli)
	if _, err := io.Copy(want, &jsonLines{size: fileBytesMax, last: ']'}); err != nil {
		t.Error(err)
		return
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Error(err)
		return
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Error(err)
		return
	}
	defer resp.Body.Close()
	if n, err := io.Copy(got, resp.Body); err != nil || n != fileBytesMax || got.Sum32() != want.Sum32() {
		t.Errorf("got %s with %d bytes, %v, want the file as it was sent", resp.Status, n, err)
	}
}

func (f *fileServer) refusesLarger(t *testing.T) {
	const size = fileBytesMax + 1_000_000
	for name, announced := range map[string]int64{"announced": size, "not announced": -1} {
		t.Run(name, func(t *testing.T) {
			u := f.create(t)
			// A client that is refused while it is still sending may get a connection reset before it reads the reason:
			// servers wait only a moment (RFC 9112, section 9.6). It then sends again and is refused again.
			a, err := f.tryPut(t, u.UploadURL, "application/json", &jsonLines{size: size, last: ']'}, announced)
			for again := 0; again < 2 && errors.Is(err, syscall.ECONNRESET); again++ {
				a, err = f.tryPut(t, u.UploadURL, "application/json", &jsonLines{size: size, last: ']'}, announced)
			}
			if err != nil {
				t.Fatal(err)
			}
			a.refused(t, http.StatusRequestEntityTooLarge, "payload_too_large", "200000000 bytes (200 MB)")
			f.complete(t, u.ID).refused(t, http.StatusNotFound, "not_found", "Nothing was uploaded")
		})
	}
}

func (f *fileServer) namesTheLastByte(t *testing.T) {
	u := f.create(t)
	f.put(t, u.UploadURL, "application/json", &jsonLines{size: fileBytesMax, last: '}'}, fileBytesMax).wantStatus(t, http.StatusOK)
	a := f.complete(t, u.ID)
	a.refused(t, http.StatusBadRequest, "validation_error",
		fmt.Sprintf("line %d, column %d: expected a comma or ], found '}'", fileBytesMax/lineBytes, lineBytes))
}
