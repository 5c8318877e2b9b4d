import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'chai'
import { leftOpen, openNow } from './open-now.ts'

/** Opens something and returns a function that closes it again. */
type Plant = () => (() => unknown) | Promise<() => unknown>

/** Only Linux shows everything that is open. Other systems show a part of it. */
const isLinux = process.platform === 'linux'

describe('what a process holds open', () => {
  const file = join(tmpdir(), 'planted')

  for (const [what, found, plant] of [
    [
      'a timer',
      ['resource Timeout'],
      () => {
        const timer = setInterval(() => {}, 60_000)
        return () => clearInterval(timer)
      },
    ],
    [
      'a listener of the process',
      ['listener of SIGUSR2'],
      () => {
        const listener = () => {}
        process.on('SIGUSR2', listener)
        return () => process.off('SIGUSR2', listener)
      },
    ],
    [
      'a server',
      ['resource TCPServerWrap', 'descriptor of socket'],
      async () => {
        const server = createServer().listen(0, '127.0.0.1')
        await once(server, 'listening')
        return () => server.close()
      },
    ],
    [
      'a server that does not keep the process alive',
      ['descriptor of socket'],
      async () => {
        const server = createServer().listen(0, '127.0.0.1').unref()
        await once(server, 'listening')
        return () => server.close()
      },
    ],
    [
      'a file',
      [`descriptor of ${process.cwd()}/package.json`],
      () => {
        const descriptor = openSync('package.json', 'r')
        return () => closeSync(descriptor)
      },
    ],
    [
      'a child that does not keep the process alive',
      ['child sleep 60'],
      async () => {
        const child = spawn('sleep', ['60'], { stdio: 'ignore' })
        await once(child, 'spawn')
        child.unref()
        return async () => {
          child.kill()
          await once(child, 'exit')
        }
      },
    ],
    [
      'a temporary file',
      ['temporary file planted'],
      () => {
        writeFileSync(file, '')
        return () => rmSync(file)
      },
    ],
  ] as const satisfies readonly (readonly [string, readonly string[], Plant])[])
    it(`shows ${what}`, async () => {
      // Mocha starts the timer of a test in the same turn of the event loop. The test waits until that timer
      // is counted.
      await nextTurn()
      const before = openNow()
      const close = await plant()
      const left = leftOpen(before, openNow())
      await close()
      // Other processes may use the same folder for temporary files, so their files are ignored.
      const own = left.filter((name) => !name.startsWith('temporary file ') || name.endsWith(' planted'))
      const shown = own.map((name) => name.replace(/(?<=socket|SIGUSR2):.*/, ''))
      if (isLinux) expect(shown).to.have.members(found)
      else expect(found).to.include.members(shown)
    })

  it('counts what is open more often than before, and not what was closed', () => {
    const before = new Map(Object.entries({ a: 1, b: 1, c: 2 }))
    const after = new Map(Object.entries({ a: 1, b: 2, c: 1, d: 3 }))
    expect(leftOpen(before, after)).to.deep.equal(['b', 'd (3 times)'])
  })

  for (const [name, count, isAllowed] of [
    ['descriptor of /proc/7/task/8/stat', 3, true],
    ['descriptor of /proc/7/stat', 1, false],
    ['descriptor of pipe:[7]', 2, true],
    ['descriptor of pipe:[7]', 1, false],
    ['descriptor of /a/libchdb.so', 1, true],
    ['descriptor of /a/libstdc++.so.6.0.30', 1, true],
    ['descriptor of /a/7.debug', 1, true],
    ['descriptor of /usr/bin/node', 1, true],
    ['descriptor of /usr/bin/node', 2, false],
    ['descriptor of /a/a.ts', 1, false],
    ['descriptor of /a/tsx-0/17959-41efc35a4645396a4f180efb7a98af05943aa879', 1, true],
    ['descriptor of /a/tsx-0/17959.txt', 1, false],
    ["listener of exit: function onExit () { callRefs('exit') }", 1, true],
    ["listener of exit: function onExit () { callRefs('exit') }", 2, false],
    ['listener of exit: () => { for (const s of openSessions) {', 1, true],
    ['listener of exit: () => child.kill()', 1, false],
  ] as const)
    it(`${isAllowed ? 'lets packages keep' : 'shows'} ${count} × "${name}"`, () => {
      expect(leftOpen(new Map(), new Map([[name, count]]))).to.have.lengthOf(isAllowed ? 0 : 1)
    })
})
