/**
 * Checks the packages of the service. It reads the lockfile without a network. With `online`, it also asks the registry for the age, the
 * deprecation and the advisories of each version.
 */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

type LockedPackage = Readonly<{
  version?: string
  resolved?: string
  integrity?: string
  /** Old packages have a list of licenses. */
  license?: unknown
  deprecated?: string
  hasInstallScript?: boolean
  dev?: boolean
  link?: boolean
  /** The platforms of the package. */
  os?: readonly string[]
}>
type Lock = Readonly<{ packages: Readonly<Record<string, LockedPackage>> }>
type Direct = Readonly<Record<string, string>>
type Manifest = Readonly<{ dependencies: Direct; optionalDependencies: Direct; devDependencies: Direct }>

export type Audit = Readonly<{
  packages: number
  licences: Readonly<Record<string, number>>
  installScripts: readonly string[]
  /**
   * Native packages for other platforms that have no checksum in the lockfile. npm does not check these
   * packages on those platforms.
   */
  unchecked: readonly string[]
  /** The sentences about packages that break a rule. */
  faults: readonly string[]
}>

const folder = fileURLToPath(new URL('../../..', import.meta.url))
const run = promisify(execFile)

/**
 * These scripts choose a native package for the machine, or compare versions (`protobufjs`). No other package may have an install script.
 */
const knownInstallScripts: ReadonlySet<string> = new Set([
  ...['@foundry-rs/anvil', 'chdb', 'esbuild', 'lmdb', 'msgpackr-extract', 'protobufjs'],
])

const nameOf = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
const exact = /^\d+\.\d+\.\d+(-[\w.]+)?$/

export const readLock = (): Lock => JSON.parse(readFileSync(`${folder}/package-lock.json`, 'utf8')) as Lock
export const readManifest = (): Manifest => JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as Manifest

export function auditOf({ packages }: Lock, manifest: Manifest): Audit {
  const isOurs = (path: string, { dev, link }: LockedPackage) =>
    !path.includes('node_modules/') || link === true || dev === true
  const used = Object.entries(packages).filter(([path, locked]) => !isOurs(path, locked))
  const licences: Record<string, number> = {}
  for (const [, { license = 'not said' }] of used) {
    const text = typeof license === 'string' ? license : JSON.stringify(license)
    licences[text] = (licences[text] ?? 0) + 1
  }
  const scripts = used.filter(([, { hasInstallScript }]) => hasInstallScript === true).map(([path]) => nameOf(path))
  return {
    ...{ packages: used.length, licences, installScripts: [...new Set(scripts)].toSorted() },
    unchecked: used.filter(([, locked]) => isOfOthers(locked)).map(([path]) => nameOf(path)),
    faults: [...faultsOfManifest(manifest), ...used.flatMap(([path, locked]) => faultsOf(nameOf(path), locked))],
  }
}

const isOfOthers = ({ os, integrity }: LockedPackage): boolean => integrity === undefined && os !== undefined

const faultsOfManifest = ({ dependencies, optionalDependencies, devDependencies }: Manifest): readonly string[] =>
  Object.entries({ ...dependencies, ...optionalDependencies, ...devDependencies })
    .filter(([, version]) => !exact.test(version) && !version.startsWith('file:infra/'))
    .map(([name, version]) => `${name} is asked for as ${version}, which is no exact version`)

function faultsOf(name: string, locked: LockedPackage): readonly string[] {
  const { version = '', resolved = '', integrity = '', deprecated, hasInstallScript = false } = locked
  const named = `${name} ${version}`
  return [
    exact.test(version) ? null : `${named} has no exact version`,
    integrity.startsWith('sha512-') || isOfOthers(locked) ? null : `${named} has no integrity of SHA-512`,
    /^(git|http:|file:)/.test(resolved) ? `${named} comes from git, over plain HTTP or from a file` : null,
    deprecated === undefined ? null : `${named} is deprecated: ${deprecated}`,
    hasInstallScript && !knownInstallScripts.has(name) ? `${named} runs a script when it is installed` : null,
  ].filter((fault) => fault !== null)
}

type Viewed = Readonly<{ time?: Readonly<Record<string, string>>; deprecated?: string }>

/**
 * Returns the registry's data of a direct dependency. Null if the registry has no data. npm prints a single
 * field without its name, so three fields are requested.
 */
async function view(name: string, version: string): Promise<Viewed | null> {
  try {
    const { stdout } = await run('npm', ['view', `${name}@${version}`, 'version', 'time', 'deprecated', '--json'], {
      cwd: folder,
    })
    return JSON.parse(stdout) as Viewed
  } catch {
    return null
  }
}

const dayMs = 86_400_000

async function printAges({ dependencies, optionalDependencies }: Manifest): Promise<readonly string[]> {
  const faults: string[] = []
  for (const [name, version] of Object.entries({ ...dependencies, ...optionalDependencies })) {
    if (!exact.test(version)) continue
    const viewed = await view(name, version)
    const at = viewed?.time?.[version]
    const days = at === undefined ? null : Math.floor((Date.now() - Date.parse(at)) / dayMs)
    console.log(`  ${name} ${version}: ${days === null ? 'the registry does not say how old' : `${days} days old`}`)
    if (viewed?.deprecated) faults.push(`${name} ${version} is deprecated: ${viewed.deprecated}`)
  }
  return faults
}

type Advisories = Readonly<{ metadata?: Readonly<{ vulnerabilities?: Readonly<Record<string, number>> }> }>

/**
 * Returns the numbers of advisories. Null if the registry does not give them. `npm audit` ends with code 1 if
 * there are advisories.
 */
async function advisories(): Promise<Readonly<Record<string, number>> | null> {
  const { stdout } = await run('npm', ['audit', '--omit=dev', '--package-lock-only', '--json'], { cwd: folder }).catch(
    (error: { stdout?: string }) => ({ stdout: error.stdout ?? '' }),
  )
  try {
    return (JSON.parse(stdout) as Advisories).metadata?.vulnerabilities ?? null
  } catch {
    return null
  }
}

/**
 * Returns false if a package breaks a rule. A package must be pinned, checked, not deprecated, from the usual
 * source and without advisories. It must have no unknown install script.
 */
export async function attackByDependencies([online]: readonly string[]): Promise<boolean> {
  const manifest = readManifest()
  const audit = auditOf(readLock(), manifest)
  const faults = [...audit.faults]
  console.log(
    `${audit.packages} packages beside those of the tests; scripts at install: ${audit.installScripts.join(', ') || 'none'}`,
  )
  console.log(
    `licences: ${Object.entries(audit.licences)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ')}`,
  )
  console.log(`without integrity, for other platforms: ${audit.unchecked.join(', ') || 'none'}`)
  if (online === 'online') {
    faults.push(...(await printAges(manifest)))
    const found = await advisories()
    console.log(`advisories: ${found === null ? 'the registry gives none out' : JSON.stringify(found)}`)
    if ((found?.total ?? 0) > 0) faults.push(`${found?.total} advisories`)
  }
  for (const fault of faults) console.log(`FAULT ${fault}`)
  console.log(`${faults.length} faults`)
  return faults.length === 0
}
