package parsers

import (
	"context"
	"encoding/base64"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/turnpike-edge/turnpike/backend/api/decode"
	"github.com/turnpike-edge/turnpike/backend/api/paging"
	"github.com/turnpike-edge/turnpike/backend/api/principal"
	"github.com/turnpike-edge/turnpike/backend/api/problem"
	"github.com/turnpike-edge/turnpike/backend/parsers/rules"
)

const (
	tag  = "Parsers"
	path = "/v1/parsers"
)

type createInput struct{ Body decode.Body[definitionInput] }

type parserOutput struct{ Body *Parser }

// PageQuery selects a page of a list. It is exported because Huma skips unexported types.
type PageQuery struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"20" doc:"The maximum number of parsers or versions to return."`
	Cursor string `query:"cursor" maxLength:"500" doc:"The cursor from the previous response. Omit it for the first page."`
}

type listInput struct{ PageQuery }

type list struct {
	Parsers []Summary `json:"parsers" nullable:"false" doc:"The latest version of each parser: first the built-in ones, then the team's by name."`

	paging.Page[Summary, string]
}

type listOutput struct{ Body *list }

// ParserPath is a parser's name in one path segment.
type ParserPath struct {
	ID string `path:"parser_id" maxLength:"200" doc:"The name of a parser, such as @turnpike/article or shop-item, optionally with a version (shop-item@3), or the id of a version."`
}

// ScopedPath is a built-in parser's name in two path segments.
type ScopedPath struct {
	Scope string `path:"scope" maxLength:"100"`
	Name  string `path:"name" maxLength:"100"`
}

func (in ScopedPath) id() string { return in.Scope + "/" + in.Name }

type versionsInput struct {
	ParserPath
	PageQuery
}

type scopedVersionsInput struct {
	ScopedPath
	PageQuery
}

type versionList struct {
	Versions []Summary `json:"versions" nullable:"false" doc:"The versions, latest first."`

	paging.Page[Summary, string]
}

type versionsOutput struct{ Body *versionList }

type deleted struct {
	ID      string `json:"id" doc:"The name of the parser."`
	Object  string `json:"object" enum:"parser"`
	Deleted bool   `json:"deleted"`
}

type deleteOutput struct{ Body *deleted }

type testInput struct {
	DryRun string `query:"dry_run" enum:"true,false" doc:"Whether to only check the request and return its price, without doing or charging anything."`
	Body   decode.Body[testBody]
}

// testBody is a request as it was sent; readTrial reads it.
type testBody struct{ definitionInput }

// Schema documents the request.
func (testBody) Schema(r huma.Registry) *huma.Schema { return schemaRef[TestRequest](r) }

type testOutput struct{ Body principal.Priced[TestResult] }

// Register adds the routes.
func (s *Service) Register(api huma.API) {
	huma.Register(api, huma.Operation{
		OperationID: "listParsers", Method: http.MethodGet, Path: path, Tags: []string{tag},
		Summary: "List the available parsers",
		Errors:  []int{400, 401},
	}, s.list)
	huma.Register(api, huma.Operation{
		OperationID: "createParser", Method: http.MethodPost, Path: path, Tags: []string{tag},
		Summary: "Create a parser, or a new version of one",
		Description: "A new name starts with version 1. A different definition for an existing name becomes its next version, and the same " +
			"definition returns the existing version. A version never changes. All faults of a definition are reported at once. " +
			"Nothing is charged.",
		RequestBody: &huma.RequestBody{Content: map[string]*huma.MediaType{"application/json": {Example: exampleDefinition()}}},
		Errors:      []int{400, 401, 403, 409, 413},
	}, s.create)
	huma.Register(api, huma.Operation{
		OperationID: "testParser", Method: http.MethodPost, Path: path + "/test", Tags: []string{tag},
		Summary: "Test a parser on a page",
		Description: "Runs a definition or an existing parser, and returns what it finds and what it does not find. A page that is fetched " +
			"costs as much as a scrape, even if the parser finds nothing on it. HTML in the request is free for subscribers.",
		RequestBody: &huma.RequestBody{Content: map[string]*huma.MediaType{"application/json": {
			Example: map[string]any{"parser": "@turnpike/article", "url": "https://example.com/"},
		}}},
		Errors: []int{400, 401, 402, 403, 404, 409, 413, 422, 502, 503, 504},
	}, s.test)
	s.registerOne(api)
}

// registerOne adds the routes of one parser, each also with a name in two segments.
func (s *Service) registerOne(api huma.API) {
	const one, scoped = path + "/{parser_id}", path + "/{scope}/{name}"
	huma.Register(api, huma.Operation{
		OperationID: "getParser", Method: http.MethodGet, Path: one, Tags: []string{tag},
		Summary:     "Read a parser",
		Description: "The slash in the name of a built-in parser can be sent as it is or as %2F.",
		Errors:      []int{400, 401, 404},
	}, func(ctx context.Context, in *ParserPath) (*parserOutput, error) { return s.get(ctx, in.ID) })
	huma.Register(api, huma.Operation{
		Method: http.MethodGet, Path: scoped, Hidden: true,
	}, func(ctx context.Context, in *ScopedPath) (*parserOutput, error) { return s.get(ctx, in.id()) })
	huma.Register(api, huma.Operation{
		OperationID: "listParserVersions", Method: http.MethodGet, Path: one + "/versions", Tags: []string{tag},
		Summary: "List the versions of a parser",
		Errors:  []int{400, 401, 404},
	}, func(ctx context.Context, in *versionsInput) (*versionsOutput, error) {
		return s.versions(ctx, in.ID, in.PageQuery)
	})
	huma.Register(api, huma.Operation{
		Method: http.MethodGet, Path: scoped + "/versions", Hidden: true,
	}, func(ctx context.Context, in *scopedVersionsInput) (*versionsOutput, error) {
		return s.versions(ctx, in.id(), in.PageQuery)
	})
	huma.Register(api, huma.Operation{
		OperationID: "deleteParser", Method: http.MethodDelete, Path: one, Tags: []string{tag},
		Summary:     "Delete a parser with all its versions",
		Description: "Scrapes made with it are kept, and work in progress continues. The name can be reused; its version numbers continue.",
		Errors:      []int{400, 401, 403, 404},
	}, func(ctx context.Context, in *ParserPath) (*deleteOutput, error) { return s.delete(ctx, in.ID) })
	huma.Register(api, huma.Operation{
		Method: http.MethodDelete, Path: scoped, Hidden: true,
	}, func(ctx context.Context, in *ScopedPath) (*deleteOutput, error) { return s.delete(ctx, in.id()) })
}

func (s *Service) create(ctx context.Context, in *createInput) (*parserOutput, error) {
	p, err := s.Create(ctx, principal.From(ctx), *in.Body.Value)
	if err != nil {
		return nil, err
	}
	return &parserOutput{p}, nil
}

func (s *Service) get(ctx context.Context, id string) (*parserOutput, error) {
	p, err := s.Parser(ctx, principal.From(ctx), id)
	if err != nil {
		return nil, err
	}
	return &parserOutput{p}, nil
}

func (s *Service) delete(ctx context.Context, id string) (*deleteOutput, error) {
	if err := s.Delete(ctx, principal.From(ctx), id); err != nil {
		return nil, err
	}
	return &deleteOutput{&deleted{ID: id, Object: "parser", Deleted: true}}, nil
}

func (s *Service) test(ctx context.Context, in *testInput) (*testOutput, error) {
	c := principal.From(ctx)
	result, err := s.Test(ctx, c, in.Body.Value.definitionInput)
	if err != nil {
		return nil, err
	}
	return &testOutput{principal.Priced[TestResult]{Result: result, Quote: c.DryRun}}, nil
}

func (s *Service) list(ctx context.Context, in *listInput) (*listOutput, error) {
	after, err := decodeCursor(in.Cursor)
	if err != nil {
		return nil, err
	}
	answer, err := s.listed(ctx, principal.From(ctx), after, in.Limit)
	if err != nil {
		return nil, err
	}
	return &listOutput{answer}, nil
}

// listed returns a page of the parsers that c can use: those with names greater than after, which is "" for the first page.
func (s *Service) listed(ctx context.Context, c *principal.Caller, after string, limit int) (*list, error) {
	all := []Summary{}
	own := after
	if after == "" || after[0] == rules.OwnPrefix[0] {
		own = ""
		for _, b := range s.builtIns {
			if b.Name > after {
				all = append(all, (&found{builtIn: b}).summary())
			}
		}
	}
	if len(all) <= limit {
		rows, err := s.store.list(ctx, c.TeamID, own, limit+1-len(all))
		if err != nil {
			return nil, problem.Internal(err)
		}
		for i := range rows {
			all = append(all, (&found{own: &rows[i]}).summary())
		}
	}
	var next *string
	if len(all) > limit {
		all = all[:limit]
		next = encodeCursor(all[limit-1].Name)
	}
	return &list{Parsers: all, Page: paging.NewPage(all, next != nil, next)}, nil
}

func (s *Service) versions(ctx context.Context, id string, page PageQuery) (*versionsOutput, error) {
	cursor, err := decodeCursor(page.Cursor)
	if err != nil {
		return nil, err
	}
	before := 0
	if cursor != "" {
		if before, err = strconv.Atoi(cursor); err != nil || before < 1 || before > versionMax {
			return nil, badCursor()
		}
	}
	r, err := pathReference(id)
	if err != nil {
		return nil, err
	}
	// The id selects the parser: an id or version stands for all versions of its parser.
	f, err := s.find(ctx, principal.From(ctx).TeamID, r, false)
	if err != nil {
		return nil, err
	}
	versions := []Summary{}
	if f.builtIn != nil {
		if before == 0 || f.builtIn.Version < before {
			versions = append(versions, f.summary())
		}
		return versionsPage(versions, nil), nil
	}
	rows, err := s.store.versions(ctx, principal.From(ctx).TeamID, f.own.name, before, page.Limit+1)
	if err != nil {
		return nil, problem.Internal(err)
	}
	for i := range rows {
		versions = append(versions, (&found{own: &rows[i]}).summary())
	}
	var next *string
	if len(rows) > page.Limit {
		versions = versions[:page.Limit]
		next = encodeCursor(strconv.Itoa(versions[page.Limit-1].Version))
	}
	return versionsPage(versions, next), nil
}

func versionsPage(versions []Summary, next *string) *versionsOutput {
	return &versionsOutput{&versionList{Versions: versions, Page: paging.NewPage(versions, next != nil, next)}}
}

func encodeCursor(last string) *string {
	cursor := base64.RawURLEncoding.EncodeToString([]byte(last))
	return &cursor
}

// decodeCursor returns the name or version before the page; "" for the first page.
func decodeCursor(cursor string) (string, error) {
	if cursor == "" {
		return "", nil
	}
	last, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil {
		return "", badCursor()
	}
	if _, err := parseReference(string(last)); err != nil {
		if _, err := strconv.Atoi(string(last)); err != nil {
			return "", badCursor()
		}
	}
	return string(last), nil
}

func badCursor() error {
	return problem.Validation(problem.Fault{
		Loc: []any{"query", "cursor"}, Msg: "must be a cursor returned by this list; omit it for the first page", Type: problem.FaultInvalid,
	})
}

// exampleDefinition is the example in the API's description.
func exampleDefinition() map[string]any {
	return map[string]any{
		"name": "shop-item",
		"schema": map[string]any{
			"type": "object", "required": []string{"title"},
			"properties": map[string]any{
				"title": map[string]any{"type": "string"}, "price": map[string]any{"type": []string{"number", "null"}},
			},
		},
		"fields": map[string]any{
			"title": map[string]any{"css": "h1", "required": true},
			"price": map[string]any{"any": []any{
				map[string]any{"structured": map[string]any{"type": "Product", "path": "offers.price"}},
				map[string]any{"css": ".price", "transforms": []string{"number"}},
			}},
		},
	}
}
