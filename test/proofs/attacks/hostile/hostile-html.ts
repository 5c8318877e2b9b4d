/**
 * Hostile pages in the form of a public chat. Each has almost four megabytes, because the reader does not
 * read more.
 */
import { pageOf } from '../../../ingest/chats/preview/page.ts'

const name = 'channel'
const megabytes = 3.9 * 1_048_576
const fill = (part: string, bytes = megabytes): string => part.repeat(Math.floor(bytes / part.length))
const post = (body: string, id = 7) => pageOf(name, [{ id, body, atSec: Math.floor(Date.now() / 1000) - 60 }])
const posts = (count: number, body: (index: number) => string) =>
  pageOf(
    name,
    Array.from({ length: count }, (_, index) => ({
      ...{ id: index + 1, body: body(index), atSec: Math.floor(Date.now() / 1000) - 60 },
    })),
  )
const manyPosts = () => posts(3_000, (index) => `post ${index}`)

export const hostileHtml: Readonly<Record<string, () => string | Buffer>> = {
  'elements nested 300,000 deep': () => post(fill('<b>')),
  'elements nested 5,000 deep, and closed': () => post(`${'<b>'.repeat(5_000)}x${'</b>'.repeat(5_000)}`),
  'elements of the page nested deep': () => `${fill('<div>')}${post('x')}`.slice(0, megabytes),
  'posts within posts': () => fill(post('x', 1).slice(0, -40), megabytes),
  'megabytes in one line of text': () => post(fill('word ')),
  'thousands of posts': manyPosts,
  'an element with a million attributes': () => post(`<a ${fill('a=b ')}>x</a>`),
  'an attribute of megabytes': () => post(`<a href="${fill('a')}">x</a>`),
  'a tag that never ends': () => post(`<a href="${fill('a')}`),
  'a comment that never ends': () => post(`<!-- ${fill('-- ')}`),
  'comments that never end': () => post(fill('<!--')),
  'opening angle brackets': () => post(fill('<')),
  'closing tags of nothing': () => post(fill('</b>')),
  'lists of lists that are closed by others': () => post(fill('<li><p><td>')),
  'quotes in tags': () => post(fill('<a "\'=>')),
  'spaces in a tag': () => post(`<a${fill(' ')}`),
  'broken entities': () => post(fill('&#xFFFFFFFFFF;&#;&;&amp&lt')),
  'an entity of megabytes': () => post(`&${fill('a')};`),
  'a script': () => post(`<script>${fill('while(1);')}</script>`),
  'scripts that never end': () => post(fill('<script>')),
  'styles within scripts': () => post(fill('<script><style>')),
  'half a page': () => manyPosts().slice(0, 1_000_000),
  'bytes of another charset': () => Buffer.from(post(fill('\u00e9\u0416\u4e2d', 1_000_000)), 'utf16le'),
  'bytes of nothing': () => Buffer.alloc(megabytes, 0xff),
  zeros: () => Buffer.alloc(megabytes),
  'classes of megabytes': () => post(`<div class="${fill('a ')}">x</div>`),
  'a hundred thousand links': () => post(fill('<a href="https://t.me/x/1">x</a>')),
  'numbers that no post has': () =>
    posts(200, () => 'x').replaceAll(/data-post="channel\/(\d+)"/g, 'data-post="channel/99999999999999$1"'),
  'one number for all posts': () =>
    posts(500, () => 'x').replaceAll(/data-post="channel\/\d+"/g, 'data-post="channel/5"'),
  'as many tags as are read': () => post(fill('<b>x</b>', 79_000)),
  'as deep as is read, many times': () => post(fill(`${'<b>'.repeat(150)}x${'</b>'.repeat(150)}`, 60_000)),
  'as long tags as are read': () => post(fill(`<a ${'a="b" '.repeat(2_500)}>x</a>`)),
  'as many posts as are read': () => posts(600, (index) => `post ${index}`),
  'times that cannot be': () =>
    posts(200, () => 'x').replaceAll(/datetime="[^"]*"/g, 'datetime="+275760-09-13T00:00:00Z"'),
}
