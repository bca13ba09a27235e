// The command line of @modelcontextprotocol/inspector. It runs with Node 22.
import { check, key, run, site, usageOf, url } from './check.mjs'

const inspect = (...args) => run('inspector/clients/launcher/build/index.js',
  ['--cli', '--server-url', url, '--transport', 'http', '--header', `Authorization: Bearer ${key}`, ...args])

const list = await inspect('--method', 'tools/list', '--strict')
check('the tools, which every host can use', list.code === 0 && JSON.parse(list.out).tools.length === 7, list.said.slice(-1000))
const page = await inspect('--method', 'tools/call', '--tool-name', 'scrape', '--tool-arg', `url=${site}`)
check('a page', page.code === 0 && usageOf(JSON.parse(page.out)).credits_used === 1, page.said.slice(-1000))
