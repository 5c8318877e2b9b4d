/** Adds numbers to the changes that Stryker's instrumenter makes, and leaves out changes that no test can notice. */
import assert from 'node:assert/strict'

/** The fields of a Babel syntax-tree node that this file reads. */
type Node = Readonly<{ type: string; value?: unknown; name?: unknown; [field: string]: unknown }>

/** The fields of Babel's `NodePath` that this file reads. */
export type Path = Readonly<{ node: Node; key: string | number | null; parent: Node; parentPath: Path | null }>

type Mutator = Readonly<{ name: string; mutate: (path: Path) => Iterable<Node> }>

/** The package does not export its list of mutators, so it is imported by path. */
const { allMutators }: { allMutators: Mutator[] } = await import(
  new URL('./mutators/mutate.js', import.meta.resolve('@stryker-mutator/instrumenter')).href
)

const nameOf = (node: unknown): string => {
  const { type, name } = (node ?? {}) as Node
  return type === 'Identifier' && typeof name === 'string' ? name : ''
}

const isMember = ({ type }: Pick<Node, 'type'>): boolean => /^(Optional)?MemberExpression$/.test(type)

/** Returns the last name in an expression. For `dependencies.logger` it returns `logger`. */
const lastNameOf = (node: unknown): string => {
  const { type, property } = (node ?? {}) as Node
  return nameOf(isMember({ type: type ?? '' }) ? property : node)
}

/**
 * Returns the name of the constant, field or parameter whose value or default is this node. The value may also
 * be a product that contains the node.
 */
function nameOfValue({ node, parentPath }: Path): string {
  if (parentPath === null) return ''
  const { type, id, key, value, left } = parentPath.node
  if (type === 'VariableDeclarator') return nameOf(id)
  if (type === 'AssignmentPattern') return nameOf(left)
  if (type === 'ObjectProperty') return value === node ? nameOf(key) : ''
  return type === 'BinaryExpression' || type === 'TSSatisfiesExpression' ? nameOfValue(parentPath) : ''
}

/**
 * Adds 1 to a number. For a `min` or `max` it also subtracts 1, so that tests must check both sides of the
 * bound.
 */
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

/**
 * Returns whether numbers in the file set a duration or a batch size. No answer depends on the exact number,
 * so only a clock would show a change.
 */
const isPaced = (file: string): boolean =>
  /^(processors|api|projections|ingest|infra)\/(?!chain-a\/)/.test(file) ||
  /^ingest\/chain-a\/(node|follow)\//.test(file)

/**
 * Returns whether the file only draws simulated trades at random. A changed number there only gives other
 * random trades.
 */
const isDrawn = (file: string): boolean => file.startsWith('ingest/chain-a/simulated/')

const isText = ({ type }: Node): boolean => type === 'StringLiteral' || type === 'TemplateLiteral'

/** Names of fields whose text only people read. */
const isProse = /^(description|example|summary|title|error|message|says|reason)$/

/** The functions that give a field of an answer its schema and its description. */
const isField = /^(field|signal|seconds|outcome|now|publishedFields)$/

/** True for arguments that only people read, such as messages of logs and errors. */
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

/**
 * Returns whether the text is an operand of `===` or `!==`. The instrumenter already replaces the comparison
 * by true and by false. Another text would have the same effect as false.
 */
const isCompared = ({ node, parent }: Path): boolean =>
  parent.type === 'BinaryExpression' && node.type === 'StringLiteral' && /^[!=]==$/.test(String(parent.operator))

/** True for a `default` branch whose value `satisfies never`. */
function isNeverReached({ node }: Path): boolean {
  const [first] = node.type === 'SwitchCase' && node.test === null ? (node.consequent as Node[]) : []
  const value = (first?.argument ?? first?.expression) as Node | null | undefined
  return value?.type === 'TSSatisfiesExpression' && (value.typeAnnotation as Node).type === 'TSNeverKeyword'
}

/** Returns why a part of a file is not changed, or undefined if it is changed. */
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
