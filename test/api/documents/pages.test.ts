import { expect } from 'chai'
import { html, prose } from '../../../api/documents/html.ts'
import { routeIdOf } from '../../../api/route.ts'
import { errorCodes } from '../../../api/sale/error-codes.ts'
import { paidRoutes } from '../../support/payments/paid-routes.ts'
import { bodyOf, burstsPath, edgeOfTests } from '../edge.ts'
import { documentsOf } from './documents-of.ts'
import { toyRoute } from './toy-route.ts'

describe('the pages', () => {
  const edge = edgeOfTests()

  it('show every route with its price, its parameters, its fields, an example and its errors', async () => {
    const { documents } = await documentsOf()
    const page = (await documents.pages[0]?.body()) ?? ''
    for (const route of paidRoutes) expect(page).to.contain(`>GET ${routeIdOf(route).slice(4)} (`)
    expect(page.match(/<summary>An example/g)).to.have.length.of.at.least(paidRoutes.length)
    expect(page).to.contain('0.005 USD').and.to.contain('number 1 to 240').and.to.contain('holdersTop10')
    for (const code of errorCodes) expect(page).to.contain(`href="/docs/errors/${code}"`)
    const anchors = [...page.matchAll(/href="(?:\/docs)?#([^"]*)"/g)].map(([, anchor]) => anchor)
    expect(anchors).to.have.length.above(50)
    for (const anchor of anchors) expect(page).to.contain(`id="${anchor}"`)
  })

  it('load nothing, run nothing, and are allowed neither', async () => {
    for (const path of ['/docs', '/v1/docs', '/docs/errors/data_stale']) {
      const answer = await edge.get(path)
      expect(answer.status).to.equal(200)
      expect(answer.headers.get('content-type')).to.equal('text/html; charset=utf-8')
      expect(answer.headers.get('content-security-policy')).to.match(
        /^default-src 'none';style-src 'sha256-[\w+/=]+';base-uri 'none';form-action 'self';frame-ancestors 'none'$/,
      )
      const page = await answer.text()
      expect(page).to.not.match(/<script|<link|<img|\bsrc=|\bon\w+=|style=|href="(?![/#])/)
    }
  })

  it('write what routes say as text, whatever it is', async () => {
    const { documents } = await documentsOf([...paidRoutes, toyRoute])
    const page = (await documents.pages[0]?.body()) ?? ''
    expect(page).to.not.contain('<script>').and.to.not.contain('in <b>')
    expect(page).to.contain('Things &lt;script&gt;alert(1)&lt;/script&gt; of a toy.')
    expect(html`<i>${`"'<&>`}</i>${[html`<b>`, html`${1}`]}`.html).to.equal('<i>&quot;&#39;&lt;&amp;&gt;</i><b>1')
    expect(prose('a `<b>` c').html).to.equal('a <code>&lt;b&gt;</code> c')
  })

  it('have one for every code, which says that nothing was charged and what to do', async () => {
    for (const code of errorCodes) {
      const headers = { 'X-Forwarded-For': `198.51.100.${errorCodes.indexOf(code)}` }
      const answer = await edge.get(`/docs/errors/${code}`, { headers })
      expect(answer.status, code).to.equal(200)
      expect(await answer.text())
        .to.contain('never charged')
        .and.to.contain(`<code>${code}</code>`)
    }
    expect((await edge.get('/docs/errors/of_our_making')).status).to.equal(404)
  })

  it('are where refused requests and requests to pay lead', async () => {
    for (const path of [burstsPath, `${burstsPath}?minutes=0`, '/v1/rh/token/0xzz/rugcheck', '/nowhere']) {
      const { code, docs } = await bodyOf(edge.get(path))
      expect(docs).to.equal(`https://data.example/docs/errors/${code}`)
      expect((await edge.get(new URL(docs).pathname)).status).to.equal(200)
    }
  })
})
