package extract

import (
	"errors"
	"os"
	"strings"
	"testing"
)

func TestPDF(t *testing.T) {
	t.Parallel()
	body, err := os.ReadFile("../pdf/testdata/guide.pdf")
	if err != nil {
		t.Fatal(err)
	}
	document, err := Read(t.Context(), Source{URL: "https://example.com/guide.pdf", MediaType: "application/pdf", Body: body}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := document.Metadata; got.Title != "A guide to tolls" || got.Language != "en" || got.PublishedAt == "" {
		t.Errorf("metadata: got %+v", got)
	}
	if !strings.HasPrefix(document.Markdown, "# A guide to tolls\n") || !strings.Contains(document.HTML, "<td>Motorcycle</td>") ||
		!strings.Contains(document.Text, "3. Drive.") {
		t.Errorf("got markdown %.100q, HTML %.100q, text %.100q", document.Markdown, document.HTML, document.Text)
	}
	if len(document.Links) != 2 || document.Links[1].URL != "https://example.com/rates" || document.Links[1].Text != "the rates" || !document.Links[1].Internal {
		t.Errorf("links: got %+v", document.Links)
	}
	if document.Quality < 0.9 || document.Type != "" {
		t.Errorf("got quality %v, type %q", document.Quality, document.Type)
	}
}

func TestPDFErrors(t *testing.T) {
	t.Parallel()
	locked, err := os.ReadFile("../pdf/testdata/encrypted-password.pdf")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		body []byte
		want error
		says string
	}{
		{"with a password", locked, ErrUnsupportedContent, "needs a password"},
		{"not a PDF", []byte("<p>Not found</p>"), ErrUnsupportedContent, "not a PDF"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := Read(t.Context(), Source{MediaType: "application/pdf", Body: tt.body}, Options{})
			if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %v, want %v that says %q", err, tt.want, tt.says)
			}
		})
	}
}
