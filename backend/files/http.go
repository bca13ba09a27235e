package files

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/api/decode"
	"github.com/turnpike-edge/turnpike/backend/api/paging"
	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
)

const (
	tag  = "Files"
	path = "/v1/files"
	one  = path + "/{file_id}"
)

type createInput struct{ Body decode.Body[createBody] }

type createBody struct {
	Filename string `json:"filename" maxLength:"255" doc:"The name of the file, which must end in .json." example:"items.json"`
	Purpose  string `json:"purpose,omitempty" enum:"context,batch" default:"context" doc:"The purpose of the file: context for answers, or the items of a batch."`
}

type uploadOutput struct{ Body *Upload }

type fileInput struct {
	ID string `path:"file_id" maxLength:"200"`
}

type fileOutput struct{ Body *File }

type downloadOutput struct{ Body *Download }

type listInput struct {
	Purpose string `query:"purpose" enum:"context,batch" doc:"Only return files with this purpose. Default: all."`
	Limit   int    `query:"limit" minimum:"1" maximum:"100" default:"20" doc:"The maximum number of objects to return."`
	Cursor  string `query:"cursor" maxLength:"500" doc:"The cursor from the previous response. Omit it for the first page."`
}

type list struct{ paging.Page[File, string] }

type listOutput struct{ Body *list }

type deleted struct {
	ID      string `json:"id"`
	Object  string `json:"object" enum:"file"`
	Deleted bool   `json:"deleted"`
}

type deleteOutput struct{ Body *deleted }

// Register adds the routes. Upload URLs are served by [Service.Content].
func (s *Service) Register(api huma.API) {
	huma.Register(api, huma.Operation{
		OperationID: "createFile", Method: http.MethodPost, Path: path, Tags: []string{tag},
		Summary: "Create a file for upload",
		Description: "Returns an upload_url. Within 10 minutes, send the content to it with PUT and Content-Type: application/json, without " +
			"Authorization: JSON of at most 200 MB (200,000,000 bytes). Then complete the file.",
		Errors: []int{400, 401, 403, 409, 413},
	}, s.create)
	huma.Register(api, huma.Operation{
		OperationID: "completeFile", Method: http.MethodPost, Path: one + "/complete", Tags: []string{tag},
		Summary: "Check an uploaded file and make it usable",
		Description: "Takes no body. If the content is not valid JSON, the error is a 400 with the line and column; the file stays pending and can " +
			"be uploaded again. 404 not_found: nothing was uploaded. 400 invalid_state: the file is already completed or has expired.",
		Errors: []int{400, 401, 403, 404, 409, 503},
	}, s.complete)
	huma.Register(api, huma.Operation{
		OperationID: "listFiles", Method: http.MethodGet, Path: path, Tags: []string{tag},
		Summary: "List completed files, newest first",
		Errors:  []int{400, 401},
	}, s.list)
	huma.Register(api, huma.Operation{
		OperationID: "getFile", Method: http.MethodGet, Path: one, Tags: []string{tag},
		Summary: "Read a file's record",
		Errors:  []int{400, 401, 404},
	}, s.get)
	huma.Register(api, huma.Operation{
		OperationID: "getFileContent", Method: http.MethodGet, Path: one + "/content", Tags: []string{tag},
		Summary:     "Get a URL for a file's content",
		Description: "Returns the file with a download_url, which requires no Authorization and is valid for an hour.",
		Errors:      []int{400, 401, 404, 409},
	}, s.download)
	huma.Register(api, huma.Operation{
		OperationID: "deleteFile", Method: http.MethodDelete, Path: one, Tags: []string{tag},
		Summary:     "Delete a file and its content",
		Description: "Batches and answers that were created with the file are not deleted.",
		Errors:      []int{400, 401, 403, 404},
	}, s.delete)
}

func (s *Service) create(ctx context.Context, in *createInput) (*uploadOutput, error) {
	out, err := s.Create(ctx, principal.From(ctx), in.Body.Value.Filename, in.Body.Value.Purpose)
	if err != nil {
		return nil, err
	}
	return &uploadOutput{out}, nil
}

func (s *Service) complete(ctx context.Context, in *fileInput) (*fileOutput, error) {
	out, err := s.Complete(ctx, principal.From(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	return &fileOutput{out}, nil
}

func (s *Service) get(ctx context.Context, in *fileInput) (*fileOutput, error) {
	out, err := s.File(ctx, principal.From(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	return &fileOutput{out}, nil
}

func (s *Service) download(ctx context.Context, in *fileInput) (*downloadOutput, error) {
	out, err := s.Download(ctx, principal.From(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	return &downloadOutput{out}, nil
}

func (s *Service) delete(ctx context.Context, in *fileInput) (*deleteOutput, error) {
	if err := s.Delete(ctx, principal.From(ctx), in.ID); err != nil {
		return nil, err
	}
	return &deleteOutput{&deleted{ID: in.ID, Object: "file", Deleted: true}}, nil
}

func (s *Service) list(ctx context.Context, in *listInput) (*listOutput, error) {
	now := s.config.Now()
	after, err := paging.Parse(in.Cursor, "file")
	if err != nil {
		return nil, err
	}
	rows, err := s.store.list(ctx, principal.From(ctx).TeamID, in.Purpose, after, now, in.Limit+1)
	if err != nil {
		return nil, problem.Internal(err)
	}
	var next *string
	if len(rows) > in.Limit {
		rows = rows[:in.Limit]
		last := &rows[in.Limit-1]
		next = paging.Position{Created: last.CreatedAt, ID: last.ID}.Cursor()
	}
	data := make([]File, 0, len(rows))
	for i := range rows {
		data = append(data, object(&rows[i], now))
	}
	return &listOutput{&list{paging.NewPage(data, next != nil, next)}}, nil
}
