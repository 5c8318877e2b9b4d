import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { copyButton } from '../../../api/documents/copy.ts'
import { html } from '../../../api/documents/html.ts'
import { type Findable, find } from '../../../api/documents/search.ts'
import { formatUsd } from '../../../api/payments/offers/format-usd.ts'
import { errorCodes } from '../../../api/sale/error-codes.ts'
import { paidRoutes } from '../../support/payments/paid-routes.ts'
import { edgeOfTests } from '../edge.ts'
import { documentsOf } from './documents-of.ts'

const baseUrl = 'https://data.example'

describe('the documentation', () => {
  const edge = edgeOfTests()
  /** Each request comes from another address, because the free routes are limited for each. */
  let address = 0
  const get = (path: string) => {
    address += 1
    return edge.get(path, { headers: { 'X-Forwarded-For': `198.51.${address >> 8}.${address & 255}` } })
  }
  const textOf = async (path: string) => {
    const answer = await get(path)
    expect(answer.status, path).to.equal(200)
    return answer.text()
  }
  const pathsOf = async () => {
    const { documents } = await documentsOf()
    return documents.pages.map(({ patterns: [path] }) => path)
  }

  it('has a page and a Markdown twin for each route, with the same fields, parameters and example', async () => {
    const { documents } = await documentsOf()
    const bodyAt = async (path: string) =>
      (await documents.pages.find(({ patterns }) => patterns.some((one) => one === path))?.body()) ?? ''
    for (const route of paidRoutes) {
      const [page, twin] = [await bodyAt(`/docs/${route.tool}`), await bodyAt(`/docs/${route.tool}.md`)]
      for (const name of [...Object.keys(route.params), ...Object.keys(route.schema.shape)]) {
        expect(page, route.tool).to.contain(`<code>${name}</code>`)
        expect(twin, route.tool).to.contain(`\`${name}\``)
      }
      const example = JSON.stringify((await route.example?.())?.body, null, 2)
      expect(twin).to.contain(`\`\`\`\n${example}\n\`\`\``)
      expect(page).to.contain(`/docs/${route.tool}.md`)
    }
  })

  it('has code on the page of each paid route that buys its example, with the price of the route, in ten lines', async () => {
    const { documents } = await documentsOf()
    const bodyAt = async (path: string) =>
      (await documents.pages.find(({ patterns }) => patterns.some((one) => one === path))?.body()) ?? ''
    const urls = new Set<string>()
    for (const route of paidRoutes) {
      const values = (await route.example?.())?.values ?? {}
      const path = route.pattern.replace(/:(\w+)/g, (_, name) => String(values[name]))
      const [page, twin] = [await bodyAt(`/docs/${route.tool}`), await bodyAt(`/docs/${route.tool}.md`)]
      const codes = [...twin.matchAll(/```(?:sh|ts|python)\n([\s\S]*?)\n```/g)].map(([, code = '']) => code)
      expect(codes, route.tool).to.have.length(3)
      for (const code of codes) {
        expect(code.split('\n')).to.have.length.at.most(10)
        expect([...code.matchAll(/https:[^\s'"]+/g)].map(([url]) => url)).to.deep.equal([baseUrl + path])
        expect(page).to.contain(html`${copyButton}<code>${code}</code>`.html)
      }
      const price = `The price is ${formatUsd(route.priceUsdMicros)} USD. A first request gets`
      expect(page).to.contain(price)
      expect(twin).to.contain(price)
      urls.add(path)
    }
    expect(urls).to.have.lengthOf(paidRoutes.length)
    for (const name of ['stream', 'health']) expect(await bodyAt(`/docs/${name}`)).to.not.contain('How to pay')
  })

  it('runs on the page of a paid route only the script that copies, which may ask for nothing', async () => {
    const answer = await get('/docs/rh_bursts_live')
    const [, hash] =
      /script-src 'sha256-([^']+)';base-uri/.exec(answer.headers.get('content-security-policy') ?? '') ?? []
    const page = await answer.text()
    const [, script = ''] = /<script type="module" blocking="render">([\s\S]*?)<\/script>/.exec(page) ?? []
    expect(createHash('sha256').update(script).digest('base64')).to.equal(hash)
    expect(page.match(/<script/g)).to.have.length(1)
    expect(page).to.not.match(/<link|<img|\bsrc=|\son\w+=|\sstyle=|href="(?![/#])/)
    for (const path of ['/docs/stream', '/docs/errors/data_stale', '/docs/search?q=lp']) {
      expect((await get(path)).headers.get('content-security-policy'), path).to.not.contain('script-src')
      expect(await textOf(path)).to.not.contain('<script')
    }
  })

  it('leads only to pages and parts of pages that are there', async () => {
    const seen = new Map<string, string>()
    const bodyOf = async (path: string) => {
      const known = seen.get(path)
      if (known !== undefined) return known
      const text = await textOf(path)
      seen.set(path, text)
      return text
    }
    let links = 0
    for (const path of [
      '/docs',
      '/docs/rh_bursts_live',
      '/docs/errors/data_stale',
      '/docs/search?q=lp',
      '/llms.txt',
      '/docs/rh_bursts_live.md',
    ]) {
      const text = await bodyOf(path)
      const targets = [
        ...[...text.matchAll(/href="([^"]*)"/g)].map(([, target = '']) => target),
        ...[...text.matchAll(/\]\(https:\/\/data\.example([^)]*)\)/g)].map(([, target = '']) => target),
      ]
      for (const target of new Set(targets)) {
        const [page = '', anchor] = target.split('#')
        const body = await bodyOf(page || path)
        if (anchor) expect(body, `${path} leads to ${target}`).to.contain(`id="${anchor}"`)
        links += 1
      }
    }
    expect(links).to.be.above(120)
  })

  it('names every route, with its price, in llms.txt, and the types of the texts', async () => {
    const answer = await get('/llms.txt')
    expect(answer.headers.get('content-type')).to.equal('text/plain; charset=utf-8')
    const text = await answer.text()
    expect(text).to.match(/^# Launch Data Service\n\n> /)
    for (const { tool, description } of edge.routes)
      expect(text).to.contain(`${baseUrl}/docs/${tool}.md`).and.to.contain(description)
    expect((await get('/docs/errors.md')).headers.get('content-type')).to.equal('text/markdown; charset=utf-8')
    const errors = await textOf('/docs/errors.md')
    for (const code of errorCodes) expect(errors).to.contain(`| \`${code}\` |`)
  })

  it('writes no cell of a table over two columns or lines', async () => {
    const { documents } = await documentsOf()
    for (const { type, patterns, body } of documents.pages) {
      if (type !== 'markdown') continue
      const text = (await body()).replace(/```[\s\S]*?```/g, '')
      const tables = text.split('\n\n').filter((part) => part.startsWith('| '))
      for (const table of tables) {
        const widths = table
          .trimEnd()
          .split('\n')
          .map((line) => line.replace(/\\\|/g, '').split('|').length)
        expect(new Set(widths).size, `${patterns[0]}: ${table.slice(0, 80)}`).to.equal(1)
      }
    }
    expect(await pathsOf()).to.have.length.above(60)
  })

  it('finds routes, fields and error codes by all words of the query', async () => {
    expect(await textOf('/docs/search?q=holdersTop10')).to.contain('holdersTop10')
    expect(await textOf('/docs/search?q=data_stale')).to.contain('href="/docs/errors/data_stale"')
    const both = await textOf('/docs/search?q=bursts%20LIVE')
    expect(both).to.contain('href="/docs/rh_bursts_live"').and.to.not.contain('href="/docs/rh_crews"')
    expect(await textOf('/docs/search?q=zzzz')).to.contain('Nothing has all of these words')
    expect(await textOf('/docs/search')).to.contain('Enter a word')
  })

  it('writes the query as text, and reads at most 100 characters of it', async () => {
    const page = await textOf(`/docs/search?q=${encodeURIComponent(`"><script>${'x'.repeat(2000)}`)}`)
    expect(page).to.not.contain('<script>').and.to.not.contain('x'.repeat(100))
    expect(page).to.contain('&quot;&gt;&lt;script&gt;')
    expect(await textOf('/docs/search?q=a&q=b')).to.contain('<h1>Search</h1>')
  })

  it('puts what has the words in its title first, and shows at most 30', () => {
    const entry = (title: string, text: string): Findable => ({
      title,
      address: '/',
      summary: '',
      text: `${title} ${text}`,
    })
    const entries = [entry('b', 'price'), entry('price', ''), ...Array.from({ length: 40 }, () => entry('c', 'price'))]
    const found = find(entries, ' PRICE  ')
    expect(found.map(({ title }) => title).slice(0, 3)).to.deep.equal(['price', 'b', 'c'])
    expect(found).to.have.length(30)
    expect(find(entries, '  ')).to.deep.equal([])
    expect(find([entry('a', 'one two')], 'one three')).to.deep.equal([])
  })
})
