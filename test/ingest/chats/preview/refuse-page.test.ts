import { expect } from 'chai'
import { whyRefused } from '../../../../ingest/chats/preview/refuse-page.ts'
import { pageOf } from './page.ts'

describe('a page', () => {
  const page = (body: string, count = 1) =>
    pageOf(
      'calls',
      Array.from({ length: count }, (_, index) => ({ id: index + 1, body, atSec: 1_700_000_000 })),
    )

  it('of twenty posts with a hundred marks each is read, and so is a long text', () => {
    expect(whyRefused(page('<b>x</b><a href="https://t.me/x">y</a><br/>'.repeat(50), 20))).to.equal(null)
    expect(whyRefused(page('a word '.repeat(500_000)))).to.equal(null)
  })

  it('with very many elements that hold nothing is no deeper for them', () => {
    expect(whyRefused(page('<br><img src="x"><path d="M0 0"/>'.repeat(1_000)))).to.equal(null)
  })

  it('is not read where its elements are nested too deep', () => {
    expect(whyRefused(`${'<b>'.repeat(200)}${'</b>'.repeat(200)}`)).to.equal(null)
    expect(whyRefused(`${'<b>'.repeat(201)}${'</b>'.repeat(201)}`)).to.match(/nested more than 200 levels deep/)
  })

  it('is not read where it has too many tags, opened or closed', () => {
    expect(whyRefused('<b></b>'.repeat(10_000))).to.equal(null)
    expect(whyRefused(`${'<b></b>'.repeat(10_000)}<`)).to.match(/more than 20000 tags/)
    expect(whyRefused('</b>'.repeat(20_001))).to.match(/more than 20000 tags/)
  })

  it('is not read where a tag is too long, ended or not', () => {
    expect(whyRefused(`<a href="${'a'.repeat(16_000)}">`)).to.equal(null)
    for (const end of ['">', ''])
      expect(whyRefused(`<a href="${'a'.repeat(17_000)}${end}`)).to.match(/longer than 16384 characters/)
  })
})
