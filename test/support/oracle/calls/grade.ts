/**
 * Grades a token by a table of rules. The input is the values on a scanner card, which is a bot's chat post
 * about the token.
 */
type Readings = Readonly<Record<string, number | null>>
type Rule = Readonly<{ field: string; limit: number; points: number }>
type Table = Readonly<{ rules: readonly Rule[]; bands: readonly Readonly<{ grade: string; minScore: number }>[] }>
type Penalty = Rule & Readonly<{ value: number }>

/**
 * Returns the score, the grade and the penalties. Each field has at most one penalty: that of the rule with
 * the most points.
 */
export function gradeOf(readings: Readings, { rules, bands }: Table) {
  const penalties: Penalty[] = []
  for (const [field, value] of Object.entries(readings)) {
    if (value === null) continue
    const reached = rules.filter((rule) => rule.field === field && isReached(rule, value))
    const most = Math.max(...reached.map(({ points }) => points))
    const worst = reached.find(({ points }) => points === most)
    if (worst !== undefined) penalties.push({ field, value, limit: worst.limit, points: worst.points })
  }
  const score = Math.max(0, 100 - penalties.reduce((sum, { points }) => sum + points, 0))
  return { score, grade: bands.find(({ minScore }) => minScore <= score)?.grade ?? 'F', penalties }
}

/**
 * Returns true if a value is penalized. A small number of holders is penalized. Other values are penalized if
 * they are large.
 */
const isReached = ({ field, limit }: Rule, value: number): boolean =>
  field === 'holders' ? value < limit : value >= limit
