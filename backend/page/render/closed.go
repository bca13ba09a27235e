package render

import (
	"context"
	"strconv"

	"github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
)

// Limits for closed shadow trees: how many elements the browser is asked about, and how deep trees may be nested.
const (
	closedAskedMax = 200
	closedDepthMax = 4
)

// openClosed makes closed shadow trees known to reading.js. Users see them like all others, so they are read, too.
func (t *tab) openClosed(ctx context.Context) error {
	for range closedDepthMax {
		found, err := t.openClosedOnce(ctx)
		if isAnswer(err) { // the document has been replaced: read the next one as it is
			return nil
		}
		if err != nil || found == 0 {
			return err
		}
	}
	return nil
}

func (t *tab) openClosedOnce(ctx context.Context) (found int, err error) {
	own, err := call(ctx, t.session, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: t.frame, WorldName: world})
	if err != nil {
		return 0, err
	}
	const group = "turnpike"
	defer func() {
		if err == nil {
			err = do(ctx, t.session, runtime.ReleaseObjectGroup, runtime.ReleaseObjectGroupParams{ObjectGroup: group})
		}
	}()
	candidates, err := call(ctx, t.session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: "function(max) {" + reading + "\nreturn unopened(max)}", ExecutionContextID: own.ExecutionContextID,
		Arguments: []*runtime.CallArgument{{Value: jsonv2.Value(strconv.Itoa(closedAskedMax))}}, ObjectGroup: group, Silent: new(true),
	})
	if err != nil || candidates.Result == nil || candidates.Result.ObjectID == "" {
		return 0, err
	}
	elements, err := call(ctx, t.session, runtime.GetProperties, runtime.GetPropertiesParams{ObjectID: candidates.Result.ObjectID, OwnProperties: new(true)})
	if err != nil {
		return 0, err
	}
	for _, element := range elements.Result {
		if element.Value == nil || element.Value.Subtype != runtime.RemoteObjectSubtypeNode {
			continue
		}
		opened, err := t.openClosedOf(ctx, own.ExecutionContextID, element.Value.ObjectID, group)
		if err != nil {
			return found, err
		}
		if opened {
			found++
		}
	}
	return found, nil
}

func (t *tab) openClosedOf(ctx context.Context, in runtime.ExecutionContextID, element runtime.RemoteObjectID, group string) (bool, error) {
	described, err := call(ctx, t.session, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: element})
	if err != nil || described.Node == nil {
		return false, err
	}
	for _, root := range described.Node.ShadowRoots {
		if root.ShadowRootType != cdp.ShadowRootTypeClosed {
			continue
		}
		resolved, err := call(ctx, t.session, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: root.BackendNodeID, ExecutionContextID: in, ObjectGroup: group})
		if err != nil {
			return false, err
		}
		return true, do(ctx, t.session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
			FunctionDeclaration: "function() { turnpikeClosed.set(this.host, this) }", ObjectID: resolved.Object.ObjectID, Silent: new(true),
		})
	}
	return false, nil
}
