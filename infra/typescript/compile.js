// Compiles the TypeScript of this checkout file by file, so that scripts load plain JavaScript. A start compiles only the files that have
// changed since the last start. This file is plain JavaScript, because it runs before anything is compiled.
import { createHash, randomUUID } from 'node:crypto'
import { existsSync, realpathSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** The version of the format of compiled files. Another version uses another folder. */
const format = 2
/** The folder of this checkout. */
export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')
const programFolders = ['api', 'infra', 'ingest', 'processors', 'projections', 'schemas']
const testFolder = 'test'

// The compiled files are under `node_modules`, so that their imports of packages are resolved as in the checkout. Several checkouts may
// share `node_modules`.
const place = createHash('sha256').update(`${format} ${root}`).digest('hex').slice(0, 16)
const ownPackages = join(root, 'node_modules')
// If this package is installed in another project, the packages that it needs may be beside it.
export const packages = existsSync(ownPackages) ? ownPackages : dirname(root)
// The path has no symbolic links, because Node gives modules their real paths.
export const compiledRoot = join(realpathSync(packages), '.cache', 'launch-data', place)

/**
 * Returns the URL of the compiled module of a TypeScript file of this checkout. `x.ts` becomes `x.ts.js`. Files of other kinds are linked
 * beside the compiled modules under their own names. Fails if the folder of packages cannot be written.
 *
 * @param {URL} url of the file, in the checkout or among the compiled files
 * @param {readonly string[]} fresh the folders that this process has compiled already
 * @returns {Promise<Readonly<{ href: string, fresh: readonly string[] }>>}
 */
export async function compiledUrl(url, fresh) {
  const path = fileURLToPath(url)
  if (path.startsWith(compiledRoot)) return { href: `${url.href}.js`, fresh }
  const inRoot = relative(root, path)
  if (inRoot.startsWith('..'))
    throw new RangeError(`${path} is not in ${root}. Only files of this checkout can be compiled`)
  const needed = inRoot.startsWith(testFolder + sep) ? [...programFolders, testFolder] : programFolders
  const stale = needed.filter((folder) => !fresh.includes(folder))
  if (stale.length > 0) await compileFolders(stale).catch(explain)
  return { href: pathToFileURL(`${join(compiledRoot, inRoot)}.js`).href, fresh: [...fresh, ...stale] }
}

/** @param {readonly string[]} folders */
async function compileFolders(folders) {
  await openCompiledRoot()
  const states = await Promise.all(folders.map(stateOf))
  const stale = states.flatMap(({ changed }) => changed)
  try {
    if (stale.length > 0) await compileFiles(stale)
  } catch (error) {
    // If a file was removed after the folders were read, they are read again.
    if (stale.every((file) => existsSync(join(root, file)))) throw error
    return compileFolders(folders)
  }
  await Promise.all(states.filter(({ isChanged }) => isChanged).map(finish))
}

/**
 * Creates the folder of the compiled files if it does not exist. If nothing has changed, later starts need no
 * right to write.
 */
export async function openCompiledRoot() {
  const manifest = join(compiledRoot, 'package.json')
  if (existsSync(manifest)) return
  await writeNew(manifest, JSON.stringify({ type: 'module', checkout: root }))
  await removeAbandoned()
}

/** Removes the compiled files of checkouts that no longer exist. */
async function removeAbandoned() {
  const parent = dirname(compiledRoot)
  for (const name of await readdir(parent)) {
    const { checkout = '' } = await readObject(join(parent, name, 'package.json'))
    if (checkout !== '' && !existsSync(checkout)) await rm(join(parent, name), { recursive: true, force: true })
  }
}

/**
 * Compares the files of a folder with the list that the last compilation wrote. The list has the size and
 * time of each file. Returns the files that were changed or removed after that.
 *
 * @param {string} folder
 */
async function stateOf(folder) {
  const listFile = join(compiledRoot, `${folder}.list.json`)
  const before = await readObject(listFile)
  /** @type {Record<string, string>} */
  const now = {}
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true }).catch(() => [])
  await Promise.all(
    entries.map(async ({ parentPath, name }) => {
      const path = join(parentPath, name)
      // An editor may have removed a temporary file after the folder was read.
      const found = await stat(path).catch(unless('ENOENT'))
      if (found?.isFile()) now[relative(root, path)] = `${found.size} ${found.mtimeMs}`
    }),
  )
  const differing = Object.keys(now).filter((file) => now[file] !== before[file])
  const removed = Object.keys(before).filter((file) => !(file in now))
  return {
    ...{ listFile, now, removed },
    linked: differing.filter((file) => !file.endsWith('.ts')),
    changed: differing.filter((file) => file.endsWith('.ts')),
    isChanged: differing.length > 0 || removed.length > 0,
  }
}

/**
 * Removes the compiled files of removed sources and links files of other kinds, then writes the list. The
 * list is written last, so that after a crash the next start compiles these files again.
 */
async function finish({ listFile, now, removed, linked }) {
  for (const file of removed) await rm(compiledPath(file), { force: true })
  for (const file of linked) {
    await mkdir(dirname(join(compiledRoot, file)), { recursive: true })
    await symlink(join(root, file), join(compiledRoot, file)).catch(unless('EEXIST'))
  }
  await writeNew(listFile, JSON.stringify(now))
}

/** @param {string} file */
const compiledPath = (file) => join(compiledRoot, file.endsWith('.ts') ? `${file}.js` : file)

/** @param {readonly string[]} files */
async function compileFiles(files) {
  // esbuild is loaded only here, because most starts compile nothing.
  const { build } = await import('esbuild')
  const { outputFiles } = await build({
    entryPoints: files.map((file) => join(root, file)),
    ...{ absWorkingDir: root, outbase: root, outdir: compiledRoot, write: false, outExtension: { '.js': '.ts.js' } },
    ...{ format: 'esm', platform: 'node', target: 'node20', logLevel: 'silent' },
    ...{ sourcemap: 'inline', sourcesContent: false, treeShaking: false },
    // Each file stays a separate module. The option `bundle` is set only because the plugin needs it to
    // rewrite the imports.
    ...{ bundle: true, packages: 'external', plugins: [importCompiled] },
  })
  await Promise.all(outputFiles.map(({ path, contents }) => writeNew(path, contents)))
}

/** @type {import('esbuild').Plugin} */
const importCompiled = {
  name: 'import-compiled',
  setup(build) {
    build.onResolve({ filter: /^\.{1,2}\// }, ({ path, kind }) => {
      if (kind === 'entry-point') return undefined
      return { path: path.endsWith('.ts') ? `${path}.js` : path, external: true }
    })
  },
}

/**
 * Replaces the file in one step, because another process may be reading it or compiling the same file.
 *
 * @param {string} path
 * @param {string | Uint8Array} contents
 * @param {Readonly<{ flush?: boolean }>} options with `flush`, a crash of the machine leaves no file without its content
 */
export async function writeNew(path, contents, { flush = false } = {}) {
  await mkdir(dirname(path), { recursive: true })
  const partial = `${path}.${randomUUID()}`
  await writeFile(partial, contents, { flush })
  await rename(partial, path)
}

/**
 * Reads a JSON object. Returns an empty object if the file is missing, or if a crash of the machine left the
 * file broken.
 *
 * @param {string} path
 * @returns {Promise<Record<string, string>>}
 */
export async function readObject(path) {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch {
    return {}
  }
}

/** @param {NodeJS.ErrnoException} error */
export function explain(error) {
  if (error.syscall === undefined) throw error
  throw new TypeError(
    `the programs cannot be compiled: ${error.message}. Start the service one time as a user who may write to ${compiledRoot}`,
    { cause: error },
  )
}

/** @param {string} code */
const unless = (code) => (/** @type {NodeJS.ErrnoException} */ error) => {
  if (error.code !== code) throw error
}
