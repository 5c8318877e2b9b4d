// Run this script after `npm install`: node .ci/complete-lockfile.js. It adds optional packages of other
// platforms to package-lock.json. `npm install` omits such a package if the registry does not list the
// package. `npm ci` then rejects the lock file on every platform.
import { readFileSync, writeFileSync } from 'node:fs'

const file = new URL('../package-lock.json', import.meta.url)
const lock = JSON.parse(readFileSync(file, 'utf8'))

const systems = [
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'aix',
  'win32',
  'windows',
]
const processors = {
  amd64: 'x64',
  x64: 'x64',
  arm64: 'arm64',
  arm: 'arm',
  ia32: 'ia32',
  riscv64: 'riscv64',
  s390x: 's390x',
  ppc64: 'ppc64',
  loong64: 'loong64',
  mips64el: 'mips64el',
}

for (const parent of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
    const path = `node_modules/${name}`
    const words = name.split(/[/-]/)
    const os = systems.find((system) => words.includes(system))
    const cpu = Object.keys(processors).find((processor) => words.includes(processor))
    if (lock.packages[path] || !/^\d/.test(version) || os === undefined) continue
    lock.packages[path] = {
      version,
      ...(cpu === undefined ? {} : { cpu: [processors[cpu]] }),
      ...(parent.dev ? { dev: true } : {}),
      optional: true,
      os: [os === 'windows' ? 'win32' : os],
    }
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)))
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
