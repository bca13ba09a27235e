-- name: InsertCrawl :execrows
-- Creates a crawl, once per identity. No row: it exists already.
insert into crawl (
    id, team_id, jti, request_sha256, paid, unit_credits, claim_id, paid_usdc, start_url, request, max_pages, max_depth,
    metadata, webhook, record, found, open, created_at, deadline_at
)
values (
    @id, @team_id, @jti, @request_sha256, @paid, @unit_credits, sqlc.narg(claim_id), @paid_usdc, @start_url, @request,
    @max_pages, sqlc.narg(max_depth), @metadata, sqlc.narg(webhook), @record, 1, 1, @created_at, @deadline_at
)
on conflict (jti) do nothing;

-- name: CrawlByIdentity :one
select * from crawl where jti = $1;

-- name: CrawlByID :one
-- A crawl with the kind of team that owns it.
select sqlc.embed(c), t.kind as team_kind
from crawl c
join team t on t.id = c.team_id
where c.id = $1;

-- name: LockCrawl :one
-- Locks a crawl. A transaction that changes anything of a crawl takes this lock first, before the locks of lanes,
-- tasks, hosts, URLs, shapes, holds and accounts.
select * from crawl where id = $1 for no key update;

-- name: ListCrawls :many
-- A team's crawls, newest first, after the given one or from the start.
select * from crawl
where team_id = @team_id
    and (sqlc.narg(status)::text is null or status = sqlc.narg(status)::text)
    and (created_at, id) < (@before_created_at::timestamptz, @before_id::text)
order by created_at desc, id desc
limit @rows_max::int;

-- name: ListPages :many
-- Pages of a crawl in the order in which they finished, after a position in that list.
select seq::int as seq, retrieve_id::text as retrieve_id, url, title, depth, status_code, external, relevance as score
from crawl_url
where crawl_id = @crawl_id and seq > @after_seq::int and state = 'done'
order by seq
limit @rows_max::int;

-- name: PageRelevance :one
-- The relevance of the page at a position.
select relevance from crawl_url where crawl_id = @crawl_id and seq = @seq::int and state = 'done';

-- name: ListPagesByRelevance :many
-- Pages of a crawl, most relevant first, after a relevance (given negated) and a position. Pages without a relevance
-- come last, after a position of their own (rest_seq).
with scored as materialized (
    select u.seq, u.retrieve_id, u.url, u.title, u.depth, u.status_code, u.external, u.relevance
    from crawl_url u
    where u.crawl_id = @crawl_id and u.state = 'done' and u.relevance is not null
        and (-u.relevance, u.seq) > (@after_negated::real, @after_seq::int)
    order by -u.relevance, u.seq
    limit @rows_max::int
),

rest as (
    select u.seq, u.retrieve_id, u.url, u.title, u.depth, u.status_code, u.external, u.relevance
    from crawl_url u
    where u.crawl_id = @crawl_id and u.state = 'done' and u.relevance is null and u.seq > @rest_seq::int
        and (select count(*) from scored) < @rows_max::int -- or nobody need look for them
    order by u.seq
    limit @rows_max::int
),

listed as (
    select * from scored
    union all
    select * from rest
)

select
    l.seq::int as seq, l.retrieve_id::text as retrieve_id, l.url, l.title, l.depth, l.status_code, l.external, l.relevance as score
from listed l
order by -l.relevance nulls last, l.seq
limit @rows_max::int;

-- name: SearchPages :many
-- Pages whose title or URL has a query's words, most relevant first, after the page at a position (0: from the start).
with found as (
    select
        u.seq, u.retrieve_id, u.url, u.title, u.depth, u.status_code, u.external,
        ts_rank_cd(w.words, websearch_to_tsquery('simple', @query::text)) as score
    from crawl_url u
    cross join lateral (
        select
            setweight(to_tsvector('simple', coalesce(u.title, '')), 'A')
            || to_tsvector('simple', regexp_replace(u.url, '[^[:alnum:]]+', ' ', 'g')) as words
    ) w
    where u.crawl_id = @crawl_id and u.state = 'done' and w.words @@ websearch_to_tsquery('simple', @query::text)
)

select
    f.seq::int as seq, f.retrieve_id::text as retrieve_id, f.url, f.title, f.depth, f.status_code, f.external, f.score::real as score
from found f
where @after_seq::int = 0 or (-f.score, f.seq) > (select -a.score, a.seq from found a where a.seq = @after_seq::int)
order by -f.score, f.seq
limit @rows_max::int;

-- name: ListFailedPages :many
-- URLs of a crawl that failed, in the order in which they failed.
select url, reason::text as reason from crawl_url
where crawl_id = @crawl_id and state = 'failed'
order by seq
limit @rows_max::int;

-- name: ListExternalPages :many
-- Pages of a crawl on other sites, in the order in which they finished.
select url from crawl_url
where crawl_id = @crawl_id and state = 'done' and external
order by seq
limit @rows_max::int;

-- name: InsertCrawlStart :exec
-- Adds the start URL of a crawl, which is open from the start, and its host.
with home as (
    insert into crawl_host (crawl_id, n, host, open, open_max, interval_ms) values (@crawl_id, 1, @host, 1, @open_max, @interval_ms)
)

insert into crawl_url (crawl_id, n, team_id, key, url, host, depth, shape, external, state, retrieve_id)
values (@crawl_id, 1, @team_id, @key, @url, 1, 0, @shape, false, 'open', @retrieve_id);

-- name: CrawlURLToRun :one
-- What to fetch for a URL, and what is known of URLs of its shape. No row: the URL or the crawl has ended.
select
    u.url, u.depth, u.chain, u.shape, u.external, u.attempts, u.retrieve_id::text as retrieve_id, c.team_id, c.paid, c.start_url, c.request, c.max_depth,
    c.home, c.record, c.deadline_at, c.max_pages, c.noise, u.patient, u.key, u.of_n, coalesce(s.seen, 0)::int as seen, coalesce(s.fresh, 0)::int as fresh
from crawl_url u
join crawl c on c.id = u.crawl_id
left join crawl_shape s on s.crawl_id = u.crawl_id and s.shape = u.shape
where u.crawl_id = @crawl_id and u.n = @n and u.state = 'open' and c.status = 'in_progress';

-- name: KnownURLs :many
-- What a crawl knows of URLs, by their keys. Here and in KnownPages each key is one index look-up: while the planner
-- knows nothing of the table, it would read everything of the crawl.
select u.n, u.key, u.state, coalesce(u.of_n, 0)::int as of_n
from unnest(@keys::bytea[]) as k (key)
cross join lateral (
    select c.n, c.key, c.state, c.of_n from crawl_url c
    where c.crawl_id = @crawl_id and c.key = k.key
    limit 1
) u;

-- name: KnownPages :many
-- The pages of a crawl that the pages of a batch may duplicate: by their content, by the kin of their URL (a few are
-- enough), and, for a URL n that a redirect has already reached, the page that was found there.
select ''::bytea as content_key, 0::bigint as kin, u.n, u.of_n::int as of_n, 0::bigint as simhash, ''::text as url
from unnest(@ns::int[]) as g (n)
cross join lateral ( -- one by one: who takes the crawl for a small one would read all of it
    select u.n, u.of_n from crawl_url u where u.crawl_id = @crawl_id and u.n = g.n and u.of_n is not null limit 1
) u
union all
select k.key, 0, 0, u.n, 0, u.url
from unnest(@content_keys::bytea[]) as k (key)
cross join lateral (
    select c.n, c.url from crawl_url c
    where c.crawl_id = @crawl_id and c.state = 'done' and c.content_key is not null and c.content_key = k.key
    limit 1
) u
union all
select ''::bytea, k.kin, 0, u.n, u.simhash::bigint, u.url
from (select distinct unnest(@kins::bigint[]) as kin) k
cross join lateral (
    select o.n, o.simhash, o.url from crawl_url o
    where o.crawl_id = @crawl_id and o.kin = k.kin and o.state = 'done'
    order by o.n
    limit 4
) u;

-- name: FinishPages :one
-- Ends open URLs under the crawl's lock: gives those with a place (from 1, within the given ones) the next positions in
-- the list, counts them, and frees their hosts. No row: one of them was not open, and the transaction must roll back.
with given as (
    select
        unnest(@ns::int[]) as n, unnest(@states::text[]) as state, unnest(@places::int[]) as place, unnest(@tries::int[]) as tries,
        unnest(@status_codes::int[]) as status_code, unnest(@titles::text[]) as title, unnest(@content_keys::bytea[]) as content_key,
        unnest(@simhashes::bigint[]) as simhash, unnest(@kins::bigint[]) as kin, unnest(@of_ns::int[]) as of_n,
        unnest(@reasons::text[]) as reason, unnest(@urls::text[]) as url, unnest(@relevances::real[]) as relevance
),

ended as (
    update crawl_url u
    set state = g.state, seq = c.seq + nullif(g.place, 0), attempts = u.attempts + g.tries, status_code = nullif(g.status_code, 0),
        title = nullif(g.title, ''), content_key = nullif(g.content_key, ''), simhash = nullif(g.simhash, 0),
        kin = case when g.simhash <> 0 then g.kin end, of_n = nullif(g.of_n, 0), url = coalesce(nullif(g.url, ''), u.url),
        relevance = coalesce(nullif(g.relevance, 'infinity'::real), u.relevance),
        reason = nullif(g.reason, ''), finished_at = @finished_at::timestamptz
    from given g, crawl c
    where c.id = @crawl_id and u.crawl_id = @crawl_id and u.n = g.n and u.state = 'open'
        and u.n = any(@ns::int[]) -- said for the planner: a few of a hundred thousand, whatever it knows of the table
    returning u.state, u.host, u.depth
),

hosts as (
    update crawl_host h set open = h.open - t.k, pages = h.pages + t.done
    from (select host, count(*)::int as k, count(*) filter (where state = 'done')::int as done from ended group by host) t
    where h.crawl_id = @crawl_id and h.n = t.host
),

counted as (
    select
        count(*)::int as k, count(*) filter (where state = 'done')::int as done, count(*) filter (where state = 'failed')::int as failed,
        count(*) filter (where state = 'duplicate')::int as duplicates, count(*) filter (where state = 'skipped')::int as skipped,
        coalesce(max(depth) filter (where state = 'done'), 0)::int as depth
    from ended
)

update crawl c
set open = c.open - t.k, pages = c.pages + t.done, failed = c.failed + t.failed, duplicates = c.duplicates + t.duplicates,
    skipped = c.skipped + t.skipped, seq = c.seq + t.done + t.failed, credits = c.credits + t.done * c.unit_credits,
    depth_max = greatest(c.depth_max, t.depth), home = coalesce(sqlc.narg(home)::text, c.home)
from counted t
where c.id = @crawl_id and c.status = 'in_progress' and t.k = cardinality(@ns::int[])
returning c.*;

-- name: TakeKnownURLs :exec
-- Records URLs that redirects led to as duplicates of the pages reached, so that they are not fetched a second time.
with given as (
    select
        unnest(@keys::bytea[]) as key, unnest(@urls::text[]) as url, unnest(@of_ns::int[]) as of_n,
        generate_subscripts(@keys::bytea[], 1) as place
),

met as (
    update crawl_url u set state = 'duplicate', of_n = g.of_n, finished_at = @finished_at::timestamptz
    from given g
    where u.crawl_id = @crawl_id and u.key = g.key
        and u.state not in ('open', 'done', 'failed', 'duplicate', 'skipped') -- or the planner takes the index of all that wait
    returning u.host
),

hosts as (
    update crawl_host h set waiting = h.waiting - t.k
    from (select host, count(*)::int as k from met group by host) t
    where h.crawl_id = @crawl_id and h.n = t.host
),

promised as ( -- what is being fetched is known by now to be the same
    update crawl_url u set of_n = g.of_n
    from given g
    where u.crawl_id = @crawl_id and u.key = g.key and u.state = 'open' and u.of_n is null
),

put as (
    insert into crawl_url (crawl_id, n, team_id, key, url, host, depth, shape, external, state, of_n, finished_at)
    select c.id, c.found + g.place, c.team_id, g.key, g.url, o.host, o.depth, o.shape, o.external, 'duplicate', g.of_n, @finished_at::timestamptz
    from given g
    join crawl c on c.id = @crawl_id
    join crawl_url o on o.crawl_id = c.id and o.n = g.of_n
    on conflict (crawl_id, key) do nothing
    returning n
)

update crawl c
set found = c.found + cardinality(@keys::bytea[]), waiting = c.waiting - (select count(*)::int from met),
    duplicates = c.duplicates + (select count(*)::int from met) + (select count(*)::int from put)
where c.id = @crawl_id;

-- name: ShapesOf :many
-- What a crawl knows of URL shapes.
select shape, seen, fresh, mark, coalesce(of_n, 0)::int as of_n
from crawl_shape
where crawl_id = @crawl_id and shape = any(@shapes::bigint[]);

-- name: SeeShapes :exec
-- Stores what pages of shapes have been like, under the crawl's lock.
insert into crawl_shape (crawl_id, shape, seen, fresh, mark, of_n)
select
    @crawl_id, unnest(@shapes::bigint[]), unnest(@seen::int[]), unnest(@fresh::int[]), unnest(@marks::bigint[]), nullif(unnest(@of_ns::int[]), 0)
on conflict (crawl_id, shape) do update set seen = excluded.seen, fresh = excluded.fresh, mark = excluded.mark, of_n = excluded.of_n;

-- name: SkipClosed :one
-- Skips waiting URLs of closed shapes and families, under the crawl's lock. A family is the URLs of a path that differ
-- only in a choice of parameters; it is closed when it was requested with too many.
with closed as (
    update crawl_url u set state = 'skipped', reason = @reason::text, finished_at = @finished_at::timestamptz
    where u.crawl_id = @crawl_id and u.state = 'waiting'
        and (
            u.shape = any(@shapes::bigint[])
            or split_part(u.url, '?', 1) = any(@families::text[]) and position('&' in u.url) > 0
        )
    returning u.host
),

hosts as (
    update crawl_host h set waiting = h.waiting - t.k
    from (select host, count(*)::int as k from closed group by host) t
    where h.crawl_id = @crawl_id and h.n = t.host
)

update crawl c set waiting = c.waiting - t.k, skipped = c.skipped + t.k
from (select count(*)::int as k from closed) t
where c.id = @crawl_id
returning c.waiting, c.skipped;

-- name: KeepNoise :exec
-- Stores which parts of URLs were found to be insignificant.
update crawl set noise = @noise::text[] where id = @id;

-- name: NumberHosts :many
-- The numbers of hosts in a crawl, under its lock. New hosts get a number.
with given as (
    select unnest(@hosts::text[]) as host, unnest(@open_maxima::int[]) as open_max, unnest(@interval_ms::int[]) as interval_ms, generate_subscripts(@hosts::text[], 1) as place
),

put as (
    insert into crawl_host (crawl_id, n, host, open_max, interval_ms)
    select
        @crawl_id, (select coalesce(max(h.n), 0) from crawl_host h where h.crawl_id = @crawl_id) + g.place::int, g.host, g.open_max,
        g.interval_ms
    from given g
    on conflict (crawl_id, host) do nothing
    returning n, host
)

select put.n, put.host from put
union all
select h.n, h.host from crawl_host h where h.crawl_id = @crawl_id and h.host = any(@hosts::text[]);

-- name: FoundPages :one
-- Adds the links of a batch of pages, each key once, under the crawl's lock: new URLs get a number and wait; the
-- numbers of known ones stay unused. An infinite relevance means none. It relies on conflicts, whose cost does not grow
-- with the crawl. An anti-join would hash the whole crawl.
with given as (
    select
        unnest(@keys::bytea[]) as key, unnest(@urls::text[]) as url, unnest(@hosts::int[]) as host, unnest(@depths::int[]) as depth,
        unnest(@chains::int[]) as chain, unnest(@shapes::bigint[]) as shape, unnest(@externals::bool[]) as external,
        unnest(@relevances::real[]) as relevance, generate_subscripts(@keys::bytea[], 1) as place
),

put as (
    insert into crawl_url (crawl_id, n, team_id, key, url, host, depth, chain, shape, external, relevance, state)
    select
        c.id, c.found + g.place, c.team_id, g.key, g.url, g.host, g.depth, g.chain::smallint, g.shape,
        g.external, nullif(g.relevance, 'infinity'::real), 'waiting'
    from given g
    join crawl c on c.id = @crawl_id
    order by g.place
    on conflict (crawl_id, key) do nothing
    returning host
),

hosts as (
    update crawl_host h set waiting = h.waiting + t.k
    from (select put.host, count(*)::int as k from put group by put.host) t
    where h.crawl_id = @crawl_id and h.n = t.host
)

update crawl c
set found = c.found + cardinality(@keys::bytea[]), waiting = c.waiting + t.k, skipped = c.skipped + @dropped::int
from (select count(*)::int as k from put) t
where c.id = @crawl_id
returning c.waiting;

-- name: ParkPages :one
-- Makes open URLs wait again, under the crawl's lock, because their hosts are blocked until the given times. Until then
-- URLs of these hosts are opened only if there is nothing else to do. tries counts only tries that sent a request.
with given as (
    select unnest(@ns::int[]) as n, unnest(@tries::int[]) as tries, unnest(@blocked_untils::timestamptz[]) as blocked_until
),

parked as (
    update crawl_url u set state = 'waiting', patient = false, attempts = u.attempts + g.tries
    from given g
    where u.crawl_id = @crawl_id and u.n = g.n and u.state = 'open' and u.n = any(@ns::int[])
    returning u.host, g.blocked_until
),

hosts as (
    update crawl_host h set open = h.open - t.k, waiting = h.waiting + t.k, blocked_until = greatest(h.blocked_until, t.blocked_until)
    from (select host, count(*)::int as k, max(blocked_until) as blocked_until from parked group by host) t
    where h.crawl_id = @crawl_id and h.n = t.host
)

update crawl c set open = c.open - t.k, waiting = c.waiting + t.k
from (select count(*)::int as k from parked) t
where c.id = @crawl_id
returning c.*;

-- name: AdmitPages :many
-- Opens waiting URLs under the crawl's lock, at most one per id in retrieve_ids; there is an id for each free place.
-- The shallowest come first; among these hosts take turns: those with the fewest open URLs first, then the one that has
-- waited longest. URLs that are not due yet come last, the soonest first, since each holds a worker's slot until it is
-- due. A host has at most open_max open URLs, and opens only those due by due_by: one per interval since the last, or
-- since a second ago if that is later. The cost does not grow with the number of URLs and hosts, because the statement
-- reads only URLs that it may open, of a few hosts.
--
-- A blocked host gets no URL until its block ends, and then one. With anyway, block and due time are ignored, and each
-- host gets one.
with due as (
    (
        select h.n, h.open, h.open_max, h.interval_ms, h.due_at, false as patient, @anyway::bool as alone
        from crawl_host h
        where h.crawl_id = @crawl_id and h.waiting > 0 and h.open < h.open_max and h.blocked_until is null
            and h.due_at <= case when @anyway::bool then 'infinity' else @due_by::timestamptz end
        order by h.due_at, h.n
        limit @hosts_max::int
    )
    union all
    (
        select h.n, h.open, 1 as open_max, h.interval_ms, h.due_at, h.blocked_until > @now::timestamptz as patient, true as alone
        from crawl_host h
        where h.crawl_id = @crawl_id and h.waiting > 0 and h.open = 0
            and h.blocked_until <= case when @anyway::bool then 'infinity' else @now::timestamptz end
        order by h.blocked_until
        limit @hosts_max::int
    )
),

-- since is from when on turns count, which is no longer ago than what may come at once.
ready as (
    select
        due.n, due.open, due.open_max, due.interval_ms, due.patient, due.alone,
        greatest(due.due_at, sqlc.arg(now)::timestamptz - interval '1 millisecond' * greatest(1000 - due.interval_ms, 0)) as since
    from due
),

lined as (
    select
        w.n, w.host, w.depth, w.relevance, ready.open + w.nth as turn, ready.since, ready.interval_ms, ready.patient,
        greatest(ready.since + interval '1 millisecond' * (ready.interval_ms * (w.nth - 1)), sqlc.arg(now)::timestamptz) as due_at
    from ready
    cross join lateral (
        select u.n, u.host, u.depth, u.relevance, row_number() over (order by u.depth, u.relevance desc nulls last, u.n) as nth
        from crawl_url u
        where u.crawl_id = @crawl_id and u.host = ready.n and u.state = 'waiting' and u.depth <= @depth_max::int
        order by u.depth, u.relevance desc nulls last, u.n
        limit least(ready.open_max - ready.open, cardinality(@retrieve_ids::text[]), case
            when ready.alone then 1
            when ready.interval_ms > 0 then 1 + floor(1000 * extract(epoch from (sqlc.arg(due_by)::timestamptz - ready.since)) / ready.interval_ms)::int
        end)
    ) w
),

pick as materialized (
    select
        l.n, l.patient, l.since, l.interval_ms,
        row_number() over (order by l.due_at, l.depth, l.turn, l.relevance desc nulls last, l.since, l.host, l.n) as place
    from lined l
    order by place
    limit cardinality(@retrieve_ids::text[])
),

taken as (
    update crawl_url u
    set state = 'open', patient = pick.patient, retrieve_id = coalesce(u.retrieve_id, (@retrieve_ids::text[])[pick.place::int])
    from pick
    where u.crawl_id = @crawl_id and u.n = pick.n -- it waits: the lock says so, and the planner would take the index of all that do
    returning u.n, u.host, u.depth, pick.place, pick.since, pick.interval_ms
),

hosts as (
    update crawl_host h
    set waiting = h.waiting - t.k, open = h.open + t.k, due_at = t.due_at,
        blocked_until = case when h.blocked_until > @now::timestamptz then h.blocked_until end
    from (
        select
            taken.host, count(*)::int as k,
            (case when max(taken.interval_ms) = 0 then @now::timestamptz
                else max(taken.since) + interval '1 millisecond' * sum(taken.interval_ms)
            end)::timestamptz as due_at
        from taken
        group by taken.host
    ) t
    where h.crawl_id = @crawl_id and h.n = t.host
),

counted as (
    update crawl w set waiting = w.waiting - t.k, open = w.open + t.k, depth = greatest(w.depth, t.depth)
    from (select count(*)::int as k, max(taken.depth) as depth from taken) t
    where w.id = @crawl_id and t.k > 0
)

select taken.n from taken order by taken.place;

-- name: CrawlIsBusy :one
-- Whether a crawl has open URLs other than those that wait for blocked hosts.
select exists (select from crawl_url u where u.crawl_id = @crawl_id and u.state = 'open' and not u.patient) as busy;

-- name: FailOpenPages :exec
-- Ends all open URLs as failed, under the crawl's lock. How often each was tried is unknown: tries is an upper bound.
with late as (
    select u.n, row_number() over (order by u.n)::int as place
    from crawl_url u
    where u.crawl_id = @crawl_id and u.state = 'open'
),

ended as (
    update crawl_url u
    set state = 'failed', seq = c.seq + late.place, attempts = u.attempts + @tries::int, reason = @reason::text, finished_at = @finished_at::timestamptz
    from late, crawl c
    where c.id = @crawl_id and u.crawl_id = c.id and u.n = late.n
    returning u.n
)

update crawl c
set seq = c.seq + t.k, open = c.open - t.k, failed = c.failed + t.k
from (select count(*)::int as k from ended) t
where c.id = @crawl_id and c.status = 'in_progress';

-- name: SkipOpenPages :exec
-- Ends all open URLs without a position in the list, under the crawl's lock.
with ended as (
    update crawl_url u
    set state = 'skipped', attempts = u.attempts + @tries::int, reason = @reason::text, finished_at = @finished_at::timestamptz
    where u.crawl_id = @crawl_id and u.state = 'open'
    returning u.n
)

update crawl c set open = c.open - t.k, skipped = c.skipped + t.k
from (select count(*)::int as k from ended) t
where c.id = @crawl_id and c.status = 'in_progress';

-- name: EndCrawl :one
-- Ends a crawl that has no open URLs. Waiting URLs are only counted as skipped here and deleted later, since there may
-- be very many. If no outcome is given, it follows from the counts.
update crawl
set status = 'completed', completed_at = @completed_at::timestamptz, skipped = skipped + waiting, waiting = 0,
    outcome = coalesce(sqlc.narg(outcome)::text, case when pages > 0 then 'succeeded' else 'failed' end)
where id = @id and status = 'in_progress' and open = 0
returning *;

-- name: ListCrawlsToPurge :many
-- Crawls that ended long ago and may still have content that does not count.
select id from crawl
where purged_at is null and status = 'completed' and completed_at < @completed_before::timestamptz
order by completed_at
limit @rows_max::int;

-- name: ListUncountedPages :many
-- URLs of a crawl that were tried but are not pages of it, after the given one.
select n, retrieve_id::text as retrieve_id, attempts from crawl_url
where crawl_id = @crawl_id and n > @after_n::int and state in ('waiting', 'failed', 'duplicate', 'skipped') and attempts > 0
    and retrieve_id is not null
order by n
limit @rows_max::int;

-- name: ForgetFrontier :execrows
-- Deletes URLs without a result from an ended crawl, a few at a time.
delete from crawl_url u
where u.crawl_id = @crawl_id and u.n in (
    select w.n from crawl_url w
    where w.crawl_id = @crawl_id and w.state in ('waiting', 'skipped', 'duplicate')
    limit @rows_max::int
);

-- name: MarkCrawlPurged :exec
-- Marks a crawl as purged, and deletes its hosts and shapes, which are no longer needed.
with hosts as (
    delete from crawl_host h where h.crawl_id = @id
),

shapes as (
    delete from crawl_shape s where s.crawl_id = @id
)

update crawl set purged_at = @purged_at::timestamptz where id = @id and status = 'completed' and purged_at is null;

-- name: ListRecordedPages :many
-- URLs of a crawl between two positions in the list, and the ids under which their exchanges may be recorded. over: the
-- retention of their content has ended.
select n, seq::int as seq, state, retrieve_id::text as retrieve_id, attempts, (finished_at <= @over_before::timestamptz)::bool as over
from crawl_url
where crawl_id = @crawl_id and seq > @after_seq::int and seq <= @last_seq::int
order by seq
limit @rows_max::int;

-- name: ListRecordedDuplicates :many
-- The same for URLs that turned out to be known pages, by their numbers.
select n, retrieve_id::text as retrieve_id, attempts
from crawl_url
where crawl_id = @crawl_id and n > @after_n::int and n <= @last_n::int and state = 'duplicate' and attempts > 0
    and retrieve_id is not null and finished_at > @over_before::timestamptz
order by n
limit @rows_max::int;

-- name: ListLateCrawls :many
-- Those in progress whose deadline has passed, longest ago first.
select id
from crawl
where status = 'in_progress' and deadline_at <= @now
order by deadline_at
limit @rows_max;
