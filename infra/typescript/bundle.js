// Bundles the programs of this checkout. Each program becomes one file of plain JavaScript, including its
// packages. A start then reads a few files instead of thousands. Programs are bundled again only if a file
// has changed.
import { existsSync, statSync } from 'node:fs'
import { readdir, readFile, rm } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { compiledRoot, explain, openCompiledRoot, packages, readObject, root, writeNew } from './compile.js'

/** The entries that `launch-data` loads in its threads and processes. They are bundled together, before the first of them runs. */
const programs = [
  'infra/command-line/command-line.ts',
  'infra/command-line/program-worker.ts',
  'infra/development/payments/serve-solana.ts',
]

/**
 * Dependencies that are loaded from `node_modules`, because they read files in their own folders, or because
 * only a service with Kafka loads them. The same holds for packages for development and for optional
 * packages, which may be native or missing.
 */
const unbundled = ['@bokuweb/zstd-wasm', '@confluentinc/schemaregistry', 'better-sqlite3', 'esbuild', 'kafkajs']

/**
 * Dependencies that few services load. Each becomes a bundle of its own, so that the threads of other services do not keep
 * its source in memory.
 */
const bundledApart = /^@mtcute\/node$/

const bundleRoot = join(compiledRoot, 'bundles')

/**
 * If one of these files changes, programs are bundled again. An installation of packages changes a lock file,
 * so the files of packages are not compared. The other files in this list decide how bundles are made and
 * run.
 */
const locks = [
  ...['package.json', 'package-lock.json', 'tsconfig.json'].map((name) => join(root, name)),
  join(packages, '.package-lock.json'),
  ...['bundle.js', 'run-bundle.js'].map((name) => join(dirname(fileURLToPath(import.meta.url)), name)),
]

/**
 * The bundles that were made together, and the size and time of each file from which they were made.
 *
 * @typedef {Readonly<Record<string, string>>} Bundles paths of bundles, by entry
 * @typedef {Readonly<{ bundles: Bundles, files: Readonly<Record<string, string>> }>} Manifest
 */

/**
 * Returns the name of a TypeScript file as an entry: its path in the checkout, with slashes.
 *
 * @param {URL} url
 */
export function entryOf(url) {
  const path = fileURLToPath(url)
  const inRoot = relative(root, path)
  if (inRoot.startsWith('..'))
    throw new RangeError(`${path} is not in ${root}. Only files of this checkout can be compiled`)
  return inRoot.replaceAll(sep, '/')
}

/**
 * Returns the bundle of an entry, and the other bundles that were made with it. Fails if the sources cannot be compiled, or if the folder of
 * packages cannot be written.
 *
 * @param {string} entry
 * @returns {Promise<Bundles>}
 */
export async function bundlesOf(entry) {
  const isProgram = programs.includes(entry)
  const manifestPath = join(bundleRoot, `${isProgram ? 'programs' : entry}.json`)
  const { bundles, files } = /** @type {Partial<Manifest>} */ (await readObject(manifestPath))
  if (bundles && files && Object.entries(files).every(([path, state]) => isIn(path, state))) return bundles
  const entries = isProgram ? programs.filter((program) => existsSync(join(root, program))) : [entry]
  return bundle(entries, manifestPath).catch(explain)
}

/**
 * Returns whether a file still has the recorded size and time. The file time may be rounded down to whole
 * seconds, because container images store times in this way.
 *
 * @param {string} path
 * @param {string} state
 */
function isIn(path, state) {
  const [size = '', atMs = ''] = state.split(' ')
  return [state, `${size} ${Math.floor(Number(atMs) / 1000) * 1000}`].includes(stateOf(path))
}

/** @param {string} path */
function stateOf(path) {
  const found = statSync(path, { throwIfNoEntry: false })
  return found === undefined ? 'missing' : `${found.size} ${found.mtimeMs}`
}

/**
 * @param {readonly string[]} entries
 * @param {string} manifestPath
 * @returns {Promise<Bundles>}
 */
async function bundle(entries, manifestPath) {
  await openCompiledRoot()
  const beganMs = Date.now()
  const made = await compile(entries)
  // Another entry may have the same package as a bundle of its own. Its list compares the time of the file.
  for (const { path, contents } of made.flatMap(({ outputFiles }) => outputFiles))
    if (!(await isWritten(path, contents))) await writeNew(path, contents, { flush: true })
  const outputs = made
    .flatMap(({ metafile }) => Object.entries(metafile.outputs))
    .map(([path, output]) => ({ path: resolve(root, path), ...output }))
  const bundles = Object.fromEntries(
    outputs.flatMap(({ path, entryPoint }) => (entryPoint ? [[entryPoint, path]] : [])),
  )
  const sources = made.flatMap(({ metafile }) => Object.keys(metafile.inputs)).filter((path) => !isOfPackage(path))
  const files = Object.fromEntries([
    ...[...sources.map((path) => resolve(root, path)), ...locks].map((path) => [path, stateSince(beganMs, path)]),
    ...outputs.map(({ path }) => [path, stateOf(path)]),
  ])
  // The manifest is written last. Until it exists, other processes make their own bundles.
  await writeNew(manifestPath, JSON.stringify({ bundles, files }))
  await Promise.all(Object.values(bundles).map(removeOlder))
  return bundles
}

/**
 * @param {string} path
 * @param {Uint8Array} contents
 */
const isWritten = async (path, contents) => (await readFile(path).catch(() => null))?.equals(contents) ?? false

/**
 * Returns the state of a file. If the file has changed after the bundling began, the bundle may lack the
 * change. Then the state is `changed`, so that the next start bundles again.
 *
 * @param {number} beganMs
 * @param {string} path
 */
const stateSince = (beganMs, path) =>
  (statSync(path, { throwIfNoEntry: false })?.ctimeMs ?? 0) >= beganMs ? 'changed' : stateOf(path)

/**
 * Returns whether a file belongs to a package. If this checkout is itself a package, other packages may be beside it.
 *
 * @param {string} path relative to the checkout
 */
const isOfPackage = (path) => path.startsWith('..') || path.split(/[/\\]/).includes('node_modules')

/** @param {readonly string[]} entries */
async function compile(entries) {
  // The compiler is loaded only here, because most starts compile nothing.
  const { build, stop } = await import('esbuild')
  const options = /** @satisfies {import('esbuild').BuildOptions} */ ({
    ...{ absWorkingDir: root, outbase: root, outdir: bundleRoot, outExtension: { '.js': '.cjs' }, write: false },
    // The name of a bundle contains a hash of its content. So no process combines a bundle with compiled
    // code that belongs to other sources.
    ...{ entryNames: '[dir]/[name]/[hash]', bundle: true, external: await externalPackages() },
    ...{ format: 'cjs', platform: 'node', target: 'node20', logLevel: 'silent' },
    // A script that runs from stored compiled code cannot use `import()`. `require` loads the same
    // packages.
    ...{ supported: { 'dynamic-import': false }, define: { 'import.meta.url': '__bundleUrl' } },
    // Each thread keeps its source in memory. Without comments and spaces, the source is a quarter smaller.
    ...{ minifyWhitespace: true, sourcemap: 'linked', sourcesContent: false },
  })
  /** @type {Map<string, ReturnType<typeof packageAlone>>} */
  const alone = new Map()
  /** @param {string} name of a package */
  const packageAlone = (name) => build({ ...options, entryPoints: { [name]: name }, metafile: true, write: false })
  /** @type {import('esbuild').Plugin} */
  const packagesApart = {
    name: 'packages-apart',
    setup({ onResolve }) {
      onResolve({ filter: bundledApart }, async ({ path: name }) => {
        const made = alone.get(name) ?? packageAlone(name)
        alone.set(name, made)
        return { path: (await made).outputFiles.find(({ path }) => path.endsWith('.cjs'))?.path, external: true }
      })
    },
  }
  try {
    const entryPoints = entries.map((entry) => join(root, entry))
    const plugins = [packagesApart, ownUrls]
    const made = await build({ ...options, entryPoints, plugins, metafile: true, write: false })
    return [made, ...(await Promise.all(alone.values()))]
  } finally {
    // Without this call, the process of the compiler would run as long as this process.
    await stop()
  }
}

async function externalPackages() {
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const names = [manifest.optionalDependencies, manifest.devDependencies].flatMap((some) => Object.keys(some ?? {}))
  return [...names, ...unbundled].flatMap((name) => [name, `${name}/*`])
}

/**
 * In our files, `import.meta.url` stays the URL of the source file. So our code finds the files beside its
 * source.
 *
 * @type {import('esbuild').Plugin}
 */
const ownUrls = {
  name: 'own-urls',
  setup({ onLoad }) {
    onLoad({ filter: /\.[jt]s$/ }, async ({ path }) => {
      if (isOfPackage(relative(root, path))) return undefined
      const text = await readFile(path, 'utf8')
      const contents = text.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
      return { contents, loader: path.endsWith('.ts') ? 'ts' : 'js' }
    })
  },
}

/**
 * Removes the earlier bundles of the same entry.
 *
 * @param {string} path of the new bundle
 */
async function removeOlder(path) {
  const [folder, hash = ''] = [dirname(path), basename(path, '.cjs')]
  for (const name of await readdir(folder))
    if (!name.startsWith(hash) && /\.(cjs|map|code)$/.test(name)) await rm(join(folder, name), { force: true })
}
