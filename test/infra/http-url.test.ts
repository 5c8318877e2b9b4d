import { expect } from 'chai'
import { httpUrl } from '../../infra/http-url.ts'

describe('the URL of a server', () => {
  for (const [host, url] of [
    ['127.0.0.1', 'http://127.0.0.1:8402'],
    ['localhost', 'http://localhost:8402'],
    ['::1', 'http://[::1]:8402'],
    ['::', 'http://[::]:8402'],
  ] as const)
    it(`is ${url} for ${host}`, () => {
      expect(httpUrl(host, 8402)).to.equal(url)
      expect(new URL(url).port).to.equal('8402')
    })
})
