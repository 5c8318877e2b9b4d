import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { readPage } from '../../../../ingest/chats/preview/read-page.ts'
import { type PagePost, pageOf } from './page.ts'

const name = 'Calls'
const read = (post: Partial<PagePost>) =>
  readPage(pageOf(name, [{ id: 41, body: 'gm', atSec: 1_788_000_000, ...post }]), name)?.[0]

describe('a preview page', () => {
  it('is read as posts of the channel, oldest first', () => {
    const posts = readPage(
      pageOf(name, [
        { id: 42, body: 'b', atSec: 20 },
        { id: 41, body: 'a', atSec: 10 },
      ]),
      name,
    )
    expect(posts?.map(({ post, text, postedAtMs }) => [post, text, postedAtMs])).to.deep.equal([
      [41, 'a', 10_000],
      [42, 'b', 20_000],
    ])
    expect(posts?.[0]).to.deep.include({ chat: '@calls', chatName: 'Calls', poster: '@calls', posterName: null })
  })

  it('has lines, marked text and links at their places', () => {
    const body =
      '<b>New</b> &amp; hot<br/><code>0x6e04259a93457d47ce20dafa50ec7a2ea49f5eb2</code> <a href="https://dex.example/x?a=1&amp;b=2" target="_blank">chart</a> <a href="?q=%23gem">#gem</a>'
    expect(read({ body })).to.deep.include({
      text: 'New & hot\n0x6e04259a93457d47ce20dafa50ec7a2ea49f5eb2 chart #gem',
      entities: [
        { offset: 0, length: 3, url: null },
        { offset: 10, length: 42, url: null },
        { offset: 53, length: 5, url: 'https://dex.example/x?a=1&b=2' },
        { offset: 59, length: 4, url: null },
      ],
    })
  })

  it('counts a place in UTF-16 units, and takes a drawn emoji for a letter', () => {
    const body = '<i class="emoji" style="background-image:url(\'x\')"><b>💊</b></i> <b>Top</b>'
    expect(read({ body })).to.deep.include({ text: '💊 Top', entities: [{ offset: 3, length: 3, url: null }] })
  })

  it('has the text of the post, not of what it answers, and not of the box around it', () => {
    expect(read({ replyTo: 40 })).to.deep.include({ text: 'gm', replyTo: 40 })
    expect(read({ body: '<div class="tgme_widget_message_text js-message_text">inner</div>' })).to.deep.include({
      text: 'inner',
    })
  })

  it('has buttons, and where a post came from', () => {
    const button = { text: 'Buy', url: 'https://t.me/a_bot?start=CWZMXMqoFBQQK4APGH2ynnG4PmccKqsojQ77AURBo9hb' }
    expect(read({ buttons: [button], forwardedFrom: 'Others' })).to.deep.include({
      buttons: [{ ...button, data: null }],
      origin: { chat: '@others', postedAtMs: 1_788_000_000_000 },
    })
  })

  it('leaves out notes of the platform, and posts without a number or a time', () => {
    expect(read({ isService: true })).to.equal(undefined)
    const page = pageOf(name, [{ id: 41, body: 'a', atSec: 1 }])
    expect(readPage(page.replace('data-post="Calls/41"', 'data-post="Calls"'), name)).to.deep.equal([])
    expect(readPage(page.replace(/datetime="[^"]+"/, ''), name)).to.deep.equal([])
  })

  it('leaves out what has a number that no post has, or is of another channel', () => {
    const page = pageOf(name, [{ id: 41, body: 'a', atSec: 1 }])
    const outOfRange = ['Calls/0', 'Calls/2147483648', 'Calls/999999999999999', 'Calls/-1', 'Calls/1.5']
    for (const number of [...outOfRange, 'Others/41', 'Calls/x', 'Calls/', 'Calls/4/4', 'Calls/4?single', '/41'])
      expect(readPage(page.replace('Calls/41', number), name), number).to.deep.equal([])
    expect(readPage(page.replace('Calls/41', 'calls/2147483647'), name)).to.have.length(1)
  })

  it('is none where there is no such channel, and empty where nothing was said', () => {
    expect(readPage('<html><body><div class="tgme_page">If you have…</div></body></html>', name)).to.equal(null)
    expect(readPage(pageOf(name, []), name)).to.deep.equal([])
  })

  it('gives back the text of each recorded card', () => {
    const lines = readFileSync('test/fixtures/chat/cards.jsonl', 'utf8').trim().split('\n')
    const texts = lines.map((line) => (JSON.parse(line) as { text: string }).text)
    const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('\n', '<br/>')
    const posts = texts.map((text, index) => ({ id: index + 1, body: escaped(text), atSec: 1 }))
    expect(readPage(pageOf(name, posts), name)?.map(({ text }) => text)).to.deep.equal(texts)
  })
})
