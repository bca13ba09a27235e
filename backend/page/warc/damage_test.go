package warc

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

func page(id, body string, fields ...string) string {
	return raw("1.1", "response", "HTTP/1.1 200 OK\r\n\r\n"+body, append([]string{
		http10, "WARC-Target-URI: http://a.example/" + id,
		"WARC-Date: 2024-01-01T00:00:00Z", "WARC-Record-ID: <urn:x:" + id + ">",
	}, fields...)...)
}

// read returns the IDs of the records that can be read completely, and the errors.
func read(data []byte) (ids string, errs []error) {
	reader := NewReader(bytes.NewReader(data))
	for {
		record, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return ids, errs
		}
		if err != nil {
			errs = append(errs, err)
			if _, ok := errors.AsType[*DamageError](err); !ok {
				return ids, errs
			}
			continue
		}
		if _, err := io.Copy(io.Discard, record.Block); err == nil {
			ids += strings.TrimPrefix(record.ID(), "urn:x:")
		}
	}
}

func TestDamage(t *testing.T) {
	t.Parallel()
	one, two, three := page("1", "one"), page("2", strings.Repeat("two ", 1000)), page("3", "three")
	member := func(text string) []byte { return zipped(t, text) }
	broken := member(two)
	broken[len(broken)/2] ^= 0xff
	checksum := member(two)
	checksum[len(checksum)-6] ^= 0xff
	cut := member(two)[:20]
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	long := "X: " + strings.Repeat("x", headerBytesMax)
	many := strings.TrimSuffix(strings.Repeat("X: x\r\n", fieldsMax), "\r\n")
	for _, tt := range []struct {
		name   string
		data   []byte
		ids    string
		offset int64 // of the only fault; -1: none
		want   string
	}{
		{"nothing", nil, "", -1, ""},
		{"blank lines", []byte("\r\n\r\n"), "", -1, ""},
		{"a flipped bit", join(member(one), broken, member(three)), "13", int64(len(member(one))), ""},
		{"a wrong checksum", join(member(one), checksum, member(three)), "123", int64(len(member(one))), "checksum"},
		// The following bytes are taken as the rest of the member, until they make no sense.
		{"a member cut short", join(member(one), cut, member(three), member(page("4", "four"))), "14", int64(len(member(one))), ""},
		{"the file cut short", join(member(one), cut), "1", int64(len(member(one))), "unexpected EOF"},
		{"plain and cut short", []byte(one + two[:len(two)-50]), "1", int64(len(one)), "unexpected EOF"},
		{"cut in the header", []byte(one + two[:30]), "1", int64(len(one)), "unexpected EOF"},
		{"rubbish between", join(member(one), []byte("rubbish"), member(three)), "13", int64(len(member(one))), "neither"},
		{"rubbish between lines", []byte(one + "rubbish\r\n" + three), "13", int64(len(one)), "neither"},
		{"no length", []byte(one + strings.Replace(two, "Content-Length", "Content-Size", 1) + three), "13", int64(len(one)), "Content-Length"},
		{"a negative length", []byte(one + "WARC/1.1\r\nContent-Length: -1\r\n\r\n\r\n\r\n" + three), "13", int64(len(one)), "Content-Length"},
		{"a huge length", []byte(one + "WARC/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n\r\n\r\n" + three), "13", int64(len(one)), "Content-Length"},
		{"no type", []byte(one + "WARC/1.1\r\nContent-Length: 0\r\n\r\n\r\n\r\n" + three), "13", int64(len(one)), "WARC-Type"},
		{"a line that is no field", join(member(one), member(page("2", "x", "no field")), member(three)), "13", int64(len(member(one))), "is not a header field"},
		{"a long header", join(member(one), member(page("2", "x", long)), member(three)), "13", int64(len(member(one))), "too long"},
		{"a long plain header", []byte(one + page("2", "x", long) + three), "13", int64(len(one)), "too long"},
		{"many fields", join(member(one), member(page("2", "x", many)), member(three)), "13", int64(len(member(one))), "too many"},
		{"no version", join(member(one), member("HTTP/1.1 200 OK\r\n\r\n"), member(three)), "13", int64(len(member(one))), "version"},
	} {
		ids, errs := read(tt.data)
		if ids != tt.ids {
			t.Errorf("%s: got records %q, want %q (%v)", tt.name, ids, tt.ids, errs)
		}
		if tt.offset < 0 {
			if len(errs) > 0 {
				t.Errorf("%s: got %v, want nothing", tt.name, errs)
			}
			continue
		}
		if len(errs) != 1 {
			t.Errorf("%s: got %v, want one", tt.name, errs)
			continue
		}
		damage, ok := errors.AsType[*DamageError](errs[0])
		if !ok || damage.Offset != tt.offset || !strings.Contains(damage.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q at %d", tt.name, errs[0], tt.want, tt.offset)
		}
	}
}

func TestOtherFormats(t *testing.T) {
	t.Parallel()
	const arc = "filedesc://a.arc 0.0.0.0 20240101000000 text/plain 76\n1 0 Example\n"
	for name, tt := range map[string]struct {
		data []byte
		want error
	}{
		"ARC":             {[]byte(arc), ErrARC},
		"compressed ARC":  {zipped(t, arc), ErrARC},
		"zstd":            {[]byte("\x28\xb5\x2f\xfd\x00\x00\x00\x00\x00\x00"), ErrZstd},
		"zstd dictionary": {[]byte("\x5d\x2a\x4d\x18\x00\x00\x00\x00\x00\x00"), ErrZstd},
	} {
		if _, errs := read(tt.data); len(errs) != 1 || !errors.Is(errs[0], tt.want) {
			t.Errorf("%s: got %v, want %v", name, errs, tt.want)
		}
		if _, err := OpenArchive(t.Context(), saved(t, tt.data)); !errors.Is(err, tt.want) {
			t.Errorf("%s: opened, got %v, want %v", name, err, tt.want)
		}
	}
}

// The archive of a damaged file has everything that can be read.
func TestArchiveOfDamaged(t *testing.T) {
	t.Parallel()
	data := append(append(zipped(t, page("1", "one")), "rubbish"...), zipped(t, page("3", "three"))...)
	a := opened(t, saved(t, data))
	if a.Len() != 2 || len(a.Faults()) != 1 || !strings.Contains(a.Faults()[0].Error(), "at byte") {
		t.Errorf("got %d URLs, %v, want 2 and where it is damaged", a.Len(), a.Faults())
	}
	if _, body := recorded(t, a, "http://a.example/3"); body != "three" {
		t.Errorf("got %q, want what comes after", body)
	}
}

func TestResponses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, block    string
		status         int
		body, encoding string
		want           string // part of the error
	}{
		{"plain", "HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody", 200, "body", "", ""},
		{"bare line ends", "HTTP/1.0 404 Not Found\nA: b\n\nbody", 404, "body", "", ""},
		{"of HTTP/2", "HTTP/2 200\r\n\r\nbody", 200, "body", "", ""},
		{"a broken field", "HTTP/1.1 200 OK\r\nbroken\r\nA: b\r\n\r\nbody", 200, "body", "", ""},
		{"chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n4;x=y\r\nbody\r\n0\r\n\r\n", 200, "body", "", ""},
		{"chunks undone", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n<body>", 200, "<body>", "", ""},
		{"length wrong", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nbody", 200, "body", "", ""},
		{"encoded", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b\x08", 200, "\x1f\x8b\x08", "gzip", ""},
		{"encoding undone", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nbody", 200, "body", "", ""},
		{"encoding that cannot be told", "HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\nbody", 200, "body", "br", ""},
		{"no status", "body", 0, "", "", "unexpected EOF"},
		{"no status line", "<html>\r\n\r\n", 0, "", "", "no status line"},
		{"cut in the header", "HTTP/1.1 200 OK\r\nA: b", 0, "", "", "unexpected EOF"},
		{"a header too long", "HTTP/1.1 200 OK\r\nA: " + strings.Repeat("x", httpHeaderBytesMax) + "\r\n\r\n", 0, "", "", "too long"},
	} {
		record, err := NewReader(strings.NewReader(raw("1.1", "response", tt.block, http10))).Next()
		if err != nil {
			t.Fatal(err)
		}
		response, err := record.Response()
		if tt.want != "" {
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil || response.StatusCode != tt.status || string(body) != tt.body || response.Header.Get("Content-Encoding") != tt.encoding {
			t.Errorf("%s: got %d %q %v %v", tt.name, response.StatusCode, body, response.Header, err)
		}
	}
}

func TestVerify(t *testing.T) {
	t.Parallel()
	const body = "hello" // SHA-1 aaf4c61d dcc5e8a2 dabede0f 3b482cd9 aea9434d
	for _, tt := range []struct {
		name, payload string
		chunked       bool
		checked       int
		fits          bool
	}{
		{"none", "", false, 0, true},
		{"SHA-1, base 32", "sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N", false, 1, true},
		{"SHA-1, hexadecimal", "SHA-1:AAF4C61DDCC5E8A2DABEDE0F3B482CD9AEA9434D", false, 1, true},
		{"MD5", "md5:5d41402abc4b2a76b9719d911017c592", false, 1, true},
		{"SHA-256, base 64", "sha256:LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=", false, 1, true},
		{"without its chunks", "sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N", true, 1, true},
		{"another's", "sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2O", false, 1, false},
		{"no algorithm that is known", "crc:1", false, 0, true},
	} {
		block := "HTTP/1.1 200 OK\r\n\r\n" + body
		if tt.chunked {
			block = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n" + body + "\r\n0\r\n\r\n"
		}
		fields := []string{http10}
		if tt.payload != "" {
			fields = append(fields, "WARC-Payload-Digest: "+tt.payload)
		}
		record, err := NewReader(strings.NewReader(raw("1.1", "response", block, fields...))).Next()
		if err != nil {
			t.Fatal(err)
		}
		if checked, err := record.Verify(); checked != tt.checked || (err == nil) != tt.fits || (err != nil && !errors.Is(err, ErrDigest)) {
			t.Errorf("%s: got %d, %v", tt.name, checked, err)
		}
	}
}

func FuzzReader(f *testing.F) {
	for _, records := range [][]string{likeWget(), likeBrowsertrix()} {
		f.Add([]byte(strings.Join(records, "")))
		f.Add(zipped(f, records...))
	}
	f.Add([]byte("filedesc://x"))
	f.Add([]byte("WARC/1.0\nWARC-Type: response\nContent-Type: application/http\nContent-Length: 50\n\nHTTP/1.1 200\nTransfer-Encoding: chunked\n\n5\nx"))
	f.Fuzz(func(t *testing.T, data []byte) {
		last := int64(-1)
		reader := NewReader(bytes.NewReader(data))
		for n := 0; ; n++ {
			record, err := reader.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				damage, ok := errors.AsType[*DamageError](err)
				if !ok {
					break
				}
				if damage.Offset < last || damage.Offset > int64(len(data)) {
					t.Fatalf("damage at %d after %d of %d bytes", damage.Offset, last, len(data))
				}
				last = damage.Offset
				continue
			}
			if record.Place.Offset < last || record.Place.Offset >= int64(len(data)) {
				t.Fatalf("record at %d after %d of %d bytes", record.Place.Offset, last, len(data))
			}
			last = record.Place.Offset
			switch n % 3 {
			case 0:
				if response, err := record.Response(); err == nil {
					_, _ = io.Copy(io.Discard, response.Body)
					_ = response.Body.Close()
				}
			case 1:
				_, _ = record.Verify()
			}
		}
	})
}
