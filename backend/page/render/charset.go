package render

import (
	"bytes"
	"context"
	"encoding/base64"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/chromedp/cdproto/cdp"
	cdpfetch "github.com/chromedp/cdproto/fetch"
	cdpio "github.com/chromedp/cdproto/io"
	"github.com/chromedp/cdproto/network"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
)

// Chromium guesses the charset of a page that does not declare it from the first bytes that arrive. It never guesses UTF-8
// but takes windows-1252, which garbles pages that package fetch reads well. Therefore the browser is told the charset if
// package fetch detects UTF-8. For older charsets the browser uses the page's declaration, or guesses as well as we do once
// it has the whole page.

// The browser returns a piece of a document once the piece is complete, and drops an incomplete last piece if the rest
// never arrives. So pieces are small, and grow with the amount received.
const (
	pieceBytesMin = 64
	pieceBytesMax = 1 << 20
	pieceShare    = 8
)

// responsePaused is a document's response before the browser reads it.
type responsePaused struct {
	StatusCode int                     `json:"responseStatusCode"`
	StatusText string                  `json:"responseStatusText"`
	Error      network.ErrorReason     `json:"responseErrorReason"`
	Headers    []*cdpfetch.HeaderEntry `json:"responseHeaders"`
}

// is reports whether there is a response; otherwise the request is paused.
func (r responsePaused) is() bool { return r.StatusCode > 0 || r.Error != "" }

// undeclared reports whether the response is a page whose header does not declare its charset.
func (r responsePaused) undeclared() bool {
	if r.StatusCode < 200 || r.StatusCode == http.StatusNoContent || r.StatusCode == http.StatusResetContent ||
		(r.StatusCode >= 300 && r.StatusCode < 400) {
		return false
	}
	types := r.header("Content-Type")
	if len(types) != 1 {
		return false
	}
	mediaType, params, err := mime.ParseMediaType(types[0])
	return err == nil && mediaType == "text/html" && params["charset"] == ""
}

func (r responsePaused) header(name string) []string {
	var values []string
	for _, h := range r.Headers {
		if strings.EqualFold(h.Name, name) {
			values = append(values, h.Value)
		}
	}
	return values
}

// whole returns the response headers for a complete, decompressed body with the given content type.
func (r responsePaused) whole(contentType string) []*cdpfetch.HeaderEntry {
	headers := []*cdpfetch.HeaderEntry{{Name: "Content-Type", Value: contentType}}
	for _, h := range r.Headers {
		switch strings.ToLower(h.Name) {
		case "content-type", "content-encoding", "content-length", "transfer-encoding":
		default:
			headers = append(headers, h)
		}
	}
	return headers
}

// receive lets the browser continue with a document's response, with the charset added if it is UTF-8 but not declared. It
// does not wait for body parts that arrive after the time limit for a page to settle.
func (t *tab) receive(ctx context.Context, e requestPaused) {
	if e.FrameID != t.frame || !e.undeclared() {
		_ = do(ctx, t.session, cdpfetch.ContinueRequest, cdpfetch.ContinueRequestParams{RequestID: e.RequestID})
		return
	}
	body, whole := t.body(ctx, e.RequestID)
	if int64(len(body)) > t.config.ResultBytesMax {
		t.mu.Lock()
		t.outsized = true
		t.mu.Unlock()
		t.refuse(ctx, e.RequestID)
		return
	}
	contentType := e.header("Content-Type")[0]
	if isUTF8(body, whole) {
		contentType = "text/html; charset=utf-8"
	}
	_ = do(ctx, t.session, fulfillRequest, fulfillRequestParams{
		RequestID: e.RequestID, ResponseCode: e.StatusCode, ResponsePhrase: e.StatusText, ResponseHeaders: e.whole(contentType), Body: body,
	})
}

// isUTF8 reports whether a page is UTF-8 by its declaration or content. An incomplete page may end within a character.
func isUTF8(body []byte, whole bool) bool {
	for n := 1; !whole && n <= min(len(body), utf8.UTFMax); n++ {
		if last := body[len(body)-n:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				body = body[:len(body)-n]
			}
			break
		}
	}
	return fetch.Charset(body, "text/html", "") == "utf-8"
}

// These commands differ from package cdproto: an empty body is sent, because without it the browser would look for the body
// that was taken, and the read data may be text.
type (
	fulfillRequestParams struct {
		RequestID       cdpfetch.RequestID      `json:"requestId"`
		ResponseCode    int                     `json:"responseCode"`
		ResponsePhrase  string                  `json:"responsePhrase,omitempty"`
		ResponseHeaders []*cdpfetch.HeaderEntry `json:"responseHeaders"`
		Body            []byte                  `json:"body"`
	}
	readResult struct {
		Base64 bool   `json:"base64Encoded"`
		Data   string `json:"data"`
		EOF    bool   `json:"eof"`
	}
)

var (
	fulfillRequest = cdp.Command[fulfillRequestParams, cdp.Empty]{Method: cdpfetch.CommandFulfillRequest}
	readStream     = cdp.Command[cdpio.ReadParams, readResult]{Method: cdpio.CommandRead}
)

func (t *tab) refuse(ctx context.Context, id cdpfetch.RequestID) {
	_ = do(ctx, t.session, cdpfetch.FailRequest, cdpfetch.FailRequestParams{RequestID: id, ErrorReason: network.ErrorReasonBlockedByClient})
}

// body reads a response's body until it ends, the time limit for a page to settle passes, or it exceeds the limit of a
// result.
func (t *tab) body(ctx context.Context, id cdpfetch.RequestID) (body []byte, whole bool) {
	ctx, cancel := context.WithTimeout(ctx, t.config.NetworkIdleMax)
	defer cancel()
	stream, err := call(ctx, t.session, cdpfetch.TakeResponseBodyAsStream, cdpfetch.TakeResponseBodyAsStreamParams{RequestID: id})
	if err != nil {
		return nil, false
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), backgroundTimeout)
		defer cancel()
		_ = do(closing, t.session, cdpio.Close, cdpio.CloseParams{Handle: stream.Stream})
	}()
	var all bytes.Buffer
	for int64(all.Len()) <= t.config.ResultBytesMax {
		piece := min(max(int64(all.Len()/pieceShare), pieceBytesMin), pieceBytesMax)
		read, err := call(ctx, t.session, readStream, cdpio.ReadParams{Handle: stream.Stream, Size: piece})
		if err != nil {
			return all.Bytes(), false
		}
		part := []byte(read.Data)
		if read.Base64 {
			if part, err = base64.StdEncoding.DecodeString(read.Data); err != nil {
				return all.Bytes(), false
			}
		}
		if all.Write(part); read.EOF {
			return all.Bytes(), true
		}
	}
	return all.Bytes(), false
}
