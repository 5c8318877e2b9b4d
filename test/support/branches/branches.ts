/**
 * Finds the branches of a program text and how often each branch was taken. The counts are V8's counts of
 * code blocks. V8 does not count `?.` and default values, so they are not branches here.
 */
import type { Profiler } from 'node:inspector'
import { parseSync } from 'oxc-parser'

/** `at` is the offset at which the branch begins. `what` names the construct and the side of the construct. */
export type Branch = Readonly<{ at: number; what: string; count: number }>

type Node = Readonly<{ type: string; start: number; end: number }> & Readonly<Record<string, unknown>>

/** Returns the count of the smallest block around an offset. */
type CountAt = (offset: number) => number

export function branchesOf(text: string, functions: readonly Profiler.FunctionCoverage[]): readonly Branch[] {
  const ranges = functions.flatMap((each) => each.ranges)
  const countAt: CountAt = (offset) => {
    const around = ranges.filter(({ startOffset, endOffset }) => startOffset <= offset && offset < endOffset)
    const sizeOf = ({ startOffset, endOffset }: Profiler.CoverageRange) => endOffset - startOffset
    return around.reduce((best, range) => (sizeOf(range) <= sizeOf(best) ? range : best), around[0] ?? none).count
  }
  return branchesIn(parseSync('running.js', text).program as unknown as Node, countAt)
}

const none: Profiler.CoverageRange = { startOffset: 0, endOffset: Number.MAX_SAFE_INTEGER, count: 0 }

/**
 * Recognizes the call by which the bundler lists a module's exports. The functions in that call are not part
 * of the program.
 */
const isExportList = ({ type, callee }: Node): boolean =>
  type === 'CallExpression' && (callee as Readonly<{ name?: string }>).name === '__export'

/** Returns all branches in a node. Branches inside a branch that was never taken are left out. */
function branchesIn(node: Node, countAt: CountAt): readonly Branch[] {
  if (isExportList(node)) return []
  const own = ownBranches(node, countAt)
  const skipped = own.filter(({ count }) => count === 0)
  const inside = childrenOf(node).filter(({ start }) => !skipped.some(({ at }) => at === start))
  return [...own, ...inside.flatMap((child) => branchesIn(child, countAt))]
}

function ownBranches(node: Node, countAt: CountAt): readonly Branch[] {
  const whole = countAt(node.start)
  const arm = (side: unknown, what: string): Branch => {
    const { start } = side as Node
    return { at: start, what, count: countAt(start) }
  }
  switch (node.type) {
    case 'IfStatement': {
      const yes = arm(node.consequent, 'if')
      return [
        yes,
        node.alternate ? arm(node.alternate, 'else') : { at: node.start, what: 'no if', count: whole - yes.count },
      ]
    }
    case 'ConditionalExpression':
      return [arm(node.consequent, '?'), arm(node.alternate, ':')]
    case 'LogicalExpression': {
      // The bundler writes an expression such as `0 && (module.exports = {…})`. Its operator is not a branch
      // of the program.
      if ((node.left as Node).type === 'Literal') return []
      const right = arm(node.right, `right of ${node.operator}`)
      return [right, { at: node.start, what: `left of ${node.operator} alone`, count: whole - right.count }]
    }
    case 'SwitchCase': {
      const [first] = node.consequent as readonly Node[]
      return first ? [arm(first, 'case')] : []
    }
    case 'ForStatement':
    case 'ForInStatement':
    case 'ForOfStatement':
    case 'WhileStatement':
      return [arm(node.body, 'loop')]
    case 'CatchClause':
      return [arm(node.body, 'catch')]
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return [arm(node.body, 'function')]
    default:
      return []
  }
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'

const childrenOf = (node: Node): readonly Node[] => Object.values(node).flat().filter(isNode)
