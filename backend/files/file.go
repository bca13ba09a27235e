package files

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/db"
)

const (
	// BytesMax is the largest file: 200 MB.
	BytesMax = 200_000_000
	// UploadTime is how long an upload URL is valid.
	UploadTime = 10 * time.Minute
	// Retention is how long a completed file is kept.
	Retention = 30 * 24 * time.Hour
	// ItemBytesMax is the largest item of a batch file.
	ItemBytesMax = 64 << 10

	// completeWithin is how long after the end of its upload URL a file may still be completed. By then no uploads run.
	completeWithin = time.Hour
	// downloadTime is how long a download URL is valid.
	downloadTime = time.Hour
	// rowRetention is how long a file is shown as expired after its content was deleted.
	rowRetention = 30 * 24 * time.Hour
	// filesMax is how many files a team may have, including pending ones.
	filesMax = 10_000

	filenameCharactersMax = 255
	filenameSuffix        = ".json"
)

// The purposes of files.
const (
	PurposeContext = "context"
	PurposeBatch   = "batch"
)

// The statuses of files.
const (
	StatusPending   = "pending"
	StatusCompleted = "completed"
	StatusExpired   = "expired"
)

// File is a file as clients see it.
type File struct {
	ID       string `json:"id" example:"file_7w3v1m9x0q2k5t8c4n6d0f2h"`
	Object   string `json:"object" enum:"file"`
	Created  int64  `json:"created" doc:"Unix time in seconds."`
	Filename string `json:"filename"`
	Bytes    int64  `json:"bytes" doc:"The size of the uploaded content, in bytes; 0 before the upload."`
	Purpose  string `json:"purpose" enum:"context,batch"`
	Status   string `json:"status" enum:"pending,completed,expired" doc:"The status of the file. pending: the file is not completed. completed: the file can be used. expired: the file has expired and its content is deleted."`
	Items    *int64 `json:"items" doc:"The number of items in a completed file for a batch. Null for other files, and if the file is not a list."`
	// Expires is in UTC, to the second.
	Expires time.Time `json:"expires_at" doc:"The time when the file expires: 30 days after it was completed."`
}

// Upload is the response to a creation: where to send the content.
type Upload struct {
	ID        string `json:"id" example:"file_7w3v1m9x0q2k5t8c4n6d0f2h"`
	Object    string `json:"object" enum:"file.upload"`
	Created   int64  `json:"created" doc:"Unix time in seconds."`
	UploadURL string `json:"upload_url" format:"uri" doc:"The URL that accepts the content: send it with PUT and Content-Type: application/json, without Authorization."`
	ExpiresIn int64  `json:"expires_in" doc:"The number of seconds for which upload_url is valid." example:"600"`
}

// Download is a file with a URL for its content.
type Download struct {
	File

	DownloadURL string `json:"download_url" format:"uri" doc:"The URL of the content. It requires no Authorization."`
	ExpiresIn   int64  `json:"expires_in" doc:"The number of seconds for which download_url is valid."`
}

// status returns a file's status at a time, because a file may have expired before Purge has run.
func status(f *db.File, now time.Time) string {
	if !now.Before(f.ExpiresAt) {
		return StatusExpired
	}
	return f.Status
}

func object(f *db.File, now time.Time) File {
	return File{
		ID: f.ID, Object: "file", Created: f.CreatedAt.Unix(), Filename: f.Filename, Bytes: f.Bytes, Purpose: f.Purpose,
		Status: status(f, now), Items: f.Items, Expires: f.ExpiresAt.UTC().Truncate(time.Second),
	}
}

// checkFilename returns the faults of a file name. The name is shown to people and used when they save the content, so
// it must not be a path.
func checkFilename(name string) []problem.Fault {
	fault := func(format string, args ...any) []problem.Fault {
		return []problem.Fault{problem.BodyFault("filename", fmt.Sprintf(format, args...))}
	}
	switch n := utf8.RuneCountInString(name); {
	case n > filenameCharactersMax:
		return fault("has %d characters, at most %d are allowed", n, filenameCharactersMax)
	case !strings.HasSuffix(name, filenameSuffix) || name == filenameSuffix:
		return fault("must be a name that ends in .json, such as items.json")
	case strings.ContainsAny(name, `/\`) || strings.ContainsFunc(name, unicode.IsControl):
		return fault("must be a name without slashes and control characters")
	}
	return nil
}
