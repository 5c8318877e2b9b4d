/** Which single changes are made: those of Stryker's instrumenter, and numbers, which it leaves as they are. */
import assert from 'node:assert/strict'

/** What is read of a node of Babel's syntax tree. */
type Node = Readonly<{ type: string; value?: unknown; name?: unknown; [field: string]: unknown }>

/** What is read of Babel's path to a node. */
export type Path = Readonly<{ node: Node; key: string | number | null; parent: Node; parentPath: Path | null }>

type Mutator = Readonly<{ name: string; mutate: (path: Path) => Iterable<Node> }>

/** Its list of mutators is no part of what the package exports. */
const { allMutators }: { allMutators: Mutator[] } = await import(
  new URL('./mutators/mutate.js', import.meta.resolve('@stryker-mutator/instrumenter')).href
)

const nameOf = (node: unknown): string => {
  const { type, name } = (node ?? {}) as Node
  return type === 'Identifier' && typeof name === 'string' ? name : ''
}

const isMember = ({ type }: Pick<Node, 'type'>): boolean => /^(Optional)?MemberExpression$/.test(type)

/** Of `dependencies.logger` it is `logger`. */
const lastNameOf = (node: unknown): string => {
  const { type, property } = (node ?? {}) as Node
  return nameOf(isMember({ type: type ?? '' }) ? property : node)
}

/** The name of the constant or of the field whose value the node is, directly or as a part of a product. */
function nameOfValue({ node, parentPath }: Path): string {
  if (parentPath === null) return ''
  const { type, id, key, value } = parentPath.node
  if (type === 'VariableDeclarator') return nameOf(id)
  if (type === 'ObjectProperty') return value === node ? nameOf(key) : ''
  return type === 'BinaryExpression' || type === 'TSSatisfiesExpression' ? nameOfValue(parentPath) : ''
}

/** One more; for a bound one less as well, so that both of its sides must be tried. */
function* mutateNumber(path: Path): Iterable<Node> {
  const { node, parent, key } = path
  const isKey = parent.type === 'ObjectProperty' && key === 'key'
  if (isKey || (node.type !== 'NumericLiteral' && node.type !== 'BigIntLiteral')) return
  const steps = /^(min|max)$/.test(nameOfValue(path)) ? [1, -1] : [1]
  for (const step of steps) {
    const value =
      node.type === 'NumericLiteral' ? Number(node.value) + step : String(BigInt(String(node.value)) + BigInt(step))
    yield { type: node.type, value }
  }
}

assert(!allMutators.some(({ name }) => name === 'NumericLiteral'), 'the instrumenter changes numbers itself now')
allMutators.push({ name: 'NumericLiteral', mutate: mutateNumber })

/** Where numbers say how long or how much at a time, and no answer depends on the exact one: only a clock would tell. */
const isPaced = (file: string): boolean =>
  /^(processors|api|projections|ingest|infra)\/(?!chain-a\/)/.test(file) ||
  /^ingest\/chain-a\/(node|follow)\//.test(file)

/** A drawn market: any other numbers draw another one. */
const isDrawn = (file: string): boolean => file.startsWith('ingest/chain-a/simulated/')

const isText = ({ type }: Node): boolean => type === 'StringLiteral' || type === 'TemplateLiteral'

/** A field whose text is read by people. */
const isProse = /^(description|example|summary|title|error|message|says|reason)$/

/** The functions that give a field of an answer its schema and its description. */
const isField = /^(field|signal|seconds|outcome|now|publishedFields)$/

/** Calls and their arguments, from the first that is given, that only people read. */
function isMessage({ node, key, parent }: Path): boolean {
  if (parent.type === 'ObjectProperty' && key === 'value') return isProse.test(nameOf(parent.key)) && hasSpace(node)
  const callee = parent.callee as Node | undefined
  if (typeof key !== 'number' || !callee) return false
  if (parent.type === 'NewExpression') return nameOf(callee) === 'OperationError' && key >= 1
  if (isField.test(lastNameOf(callee))) return isText(node) && hasSpace(node)
  const object = lastNameOf(isMember(callee) ? callee.object : callee)
  if (/^(assert|refuse|inconsistent|crashPoint|described)$/.test(object))
    return isText(node) && (hasSpace(node) || object === 'crashPoint')
  return /^(logger|log)$/.test(object) && /^(info|warn|error|debug)$/.test(nameOf(callee.property))
}

function hasSpace({ type, value, quasis }: Node): boolean {
  if (type === 'StringLiteral') return String(value).includes(' ')
  if (type !== 'TemplateLiteral') return false
  return JSON.stringify((quasis as Node[]).map((part) => part.value)).includes(' ')
}

/** Of a comparison, of which the instrumenter makes true and false: another text says the same as false. */
const isCompared = ({ node, parent }: Path): boolean =>
  parent.type === 'BinaryExpression' && node.type === 'StringLiteral' && /^[!=]==$/.test(String(parent.operator))

/** The branch that the types leave nothing for. */
function isNeverReached({ node }: Path): boolean {
  const [first] = node.type === 'SwitchCase' && node.test === null ? (node.consequent as Node[]) : []
  const value = (first?.argument ?? first?.expression) as Node | null | undefined
  return value?.type === 'TSSatisfiesExpression' && (value.typeAnnotation as Node).type === 'TSNeverKeyword'
}

/** Why a part of a file is left as it is; undefined where it is changed. */
export const noiseIn =
  (file: string) =>
  (path: Path): string | undefined => {
    if (isMessage(path)) return 'text that only people read'
    if (isNeverReached(path)) return 'never reached'
    if (isCompared(path)) return 'the same as false'
    const isNumber = path.node.type === 'NumericLiteral' || path.node.type === 'BigIntLiteral'
    if (isNumber && isDrawn(file)) return 'a number of a drawn market'
    if (isNumber && isPaced(file) && /(Ms|MsMax|[Bb]ytes|[Bb]ytesMax)$/.test(nameOfValue(path))) return 'a pace'
    return undefined
  }
