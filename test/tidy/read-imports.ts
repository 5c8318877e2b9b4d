/**
 * Reads the imports of a source file: values, types, dynamic imports, `require`, and files that are named in
 * `new URL`.
 */
import assert from 'node:assert/strict'
import { posix } from 'node:path'
import { parseSync, Visitor, type VisitorObject } from 'oxc-parser'

/**
 * An import. `target` is a path from the root of the repository, `node:…`, or `npm:` and the specifier of a
 * package. A computed specifier becomes `npm:?`, so that no list allows it by accident.
 */
export type Import = Readonly<{ from: string; line: number; target: string }>

export function readImports(from: string, text: string): readonly Import[] {
  const { program, module, errors } = parseSync(from, text)
  assert.deepEqual(errors, [], `${from} does not parse`)
  const found: Import[] = []
  const add = (specifier: string, offset: number) =>
    found.push({ from, line: text.slice(0, offset).split('\n').length, target: targetOf(from, specifier) })
  for (const { moduleRequest } of module.staticImports) add(moduleRequest.value, moduleRequest.start)
  for (const { entries } of module.staticExports)
    for (const { moduleRequest } of entries) if (moduleRequest) add(moduleRequest.value, moduleRequest.start)
  const loaders = new Set(['require'])
  new Visitor({
    ImportExpression: ({ source }) => add(literalOf(source), source.start),
    TSImportType: ({ source }) => add(literalOf(source), source.start),
    VariableDeclarator({ id, init }) {
      if (id.type === 'Identifier' && isCallOf(init, 'createRequire')) loaders.add(id.name)
    },
    CallExpression({ callee, arguments: [argument] }) {
      if (argument && isLoader(callee, loaders)) add(literalOf(argument), argument.start)
    },
    NewExpression({ callee, arguments: [path, base] }) {
      const isBesideUs = isNamed(callee, 'URL') && base?.type === 'MemberExpression'
      if (path && isBesideUs && base.object.type === 'MetaProperty') add(literalOf(path), path.start)
    },
  }).visit(program)
  return found
}

type Call = Parameters<NonNullable<VisitorObject['CallExpression']>>[0]
type Argument = Call['arguments'][number]
type Node = Call['callee'] | Argument | null

const isNamed = (node: Node, name: string): boolean => node?.type === 'Identifier' && node.name === name

const isCallOf = (node: Node, name: string): boolean => node?.type === 'CallExpression' && isNamed(node.callee, name)

/**
 * Returns true for `require(…)`, `require.resolve(…)`, `import.meta.resolve(…)`, and for calls of what
 * `createRequire` returned.
 */
function isLoader(callee: Call['callee'], loaders: ReadonlySet<string>): boolean {
  if (callee.type === 'Identifier') return loaders.has(callee.name)
  if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return false
  if (callee.property.name !== 'resolve') return false
  const { object } = callee
  return object.type === 'MetaProperty' || (object.type === 'Identifier' && loaders.has(object.name))
}

const literalOf = (node: Argument): string =>
  node.type === 'Literal' && typeof node.value === 'string' ? node.value : '?'

function targetOf(from: string, specifier: string): string {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(from), specifier)
  return specifier.startsWith('node:') ? specifier : `npm:${specifier}`
}
