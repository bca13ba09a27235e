import { spawn } from 'node:child_process'

// What the programs of this folder share: the server's address and key, and the checks.
export const url = process.env.MCP_URL
export const key = process.env.KEY
export const site = process.env.SITE
export const requestInit = { headers: { Authorization: `Bearer ${key}` } }

export function check(what, ok, got) {
  if (ok) return console.log(`ok: ${what}`)
  console.log(`FAILED: ${what}: got ${JSON.stringify(got)?.slice(0, 500)}`)
  process.exitCode = 1
}

export const textOf = (result) => result.content.map((c) => c.text).join('\n')
export const usageOf = (result) => result._meta['turnpike/usage']

// useTools calls each tool once, with a client of either SDK, and checks prices and balances.
export async function useTools(version, call) {
  const page = await call('scrape', { url: site })
  check(`${version}: a page`, textOf(page).includes('turnpike') && usageOf(page).credits_used === 1, page)
  const links = await call('map', { url: site })
  check(`${version}: a map`, textOf(links).includes(site), links)
  const found = await call('search', { query: 'toll road', limit: 3 })
  check(`${version}: a search`, usageOf(found).credits_used === 5, found)
  const crawl = await call('crawl', { url: site, max_pages: 3, wait_seconds: 30 })
  check(`${version}: a crawl`, usageOf(crawl).status === 'completed' && usageOf(crawl).credits_used === 3, crawl)
  const contents = await call('job', { id: usageOf(crawl).id, contents: true })
  check(`${version}: the pages of a crawl`, textOf(contents).includes('--- ' + site) && usageOf(contents).credits_used === 0, contents)
  const answer = await call('ask', { task: `What was a turnpike? ${site}`, format: { meaning: 'what it was' } })
  check(`${version}: an answer`, textOf(answer).includes('meaning') && usageOf(answer).credits_used === 20, answer)
  const monitors = await call('monitor', { action: 'list' })
  check(`${version}: monitors`, !monitors.isError && usageOf(monitors).credits_used === 0, monitors)
  const gone = await call('scrape', { url: 'not a url' })
  check(`${version}: an error costs nothing`, gone.isError && usageOf(gone).credits_used === 0, gone)
  const before = usageOf(page).credits_left
  check(`${version}: what is left`, before - usageOf(gone).credits_left === 1 + 5 + 3 + 20, [before, usageOf(gone)])
}

// run runs a program of a package of @modelcontextprotocol.
export const run = (program, args) => new Promise((resolve) => {
  const child = spawn(process.execPath, [`node_modules/@modelcontextprotocol/${program}`, ...args])
  let out = ''
  let said = ''
  child.stdout.on('data', (data) => { out += data; said += data })
  child.stderr.on('data', (data) => (said += data))
  child.on('close', (code) => resolve({ code, out, said }))
})
