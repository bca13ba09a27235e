package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/turnpike-edge/turnpike/payments/price"
)

// mountPriceBook publishes the book to the edges, which price by it. It is not secret, but only edges need it: the
// shipped Caddyfile does not forward it.
func (s *Server) mountPriceBook() error {
	document, err := json.Marshal(s.config.Book.Document())
	if err != nil {
		return fmt.Errorf("writing the price book: %w", err)
	}
	sum := sha256.Sum256(document)
	etag := `"` + hex.EncodeToString(sum[:16]) + `"`
	s.mux.HandleFunc("GET "+price.WellKnownPath, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-cache") // cache it, and revalidate each time
		w.Header().Set("ETag", etag)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(document))
	})
	return nil
}
