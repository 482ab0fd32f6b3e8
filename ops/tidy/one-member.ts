/**
 * Judges whether a statement meets rows of one member only, from its text.
 *
 * - A table of members' rows is bound if its member's number equals a value, or the number of a row that is bound itself.
 * - `key`: a row that is named by another key, or by a column of such a row. `many`: everything else, lists of numbers included.
 * - Only conditions that every row meets count: not one branch of an `or`, not `case`, not a column that is shown.
 * - A fragment that names a row of the statement around it is bound by it: the statement is judged by itself.
 */
import { type Group, type Piece, type Token, splitAt, treeOf } from './sql-pieces.ts'

/** The reach of rows, from narrow to wide. */
export const REACHES = ['one', 'key', 'many'] as const
export type Reach = (typeof REACHES)[number]
const widest = (reaches: readonly Reach[]): Reach => REACHES[Math.max(0, ...reaches.map((reach) => REACHES.indexOf(reach)))] as Reach

/** Columns with the member's number, where it is not `member_id`. */
const NUMBER_OF: Readonly<Record<string, readonly string[]>> = {
  member: ['id'],
  transfer: ['debit', 'credit'],
  leg: ['account'],
  legs_since: ['account'],
}
const NUMBERS = ['member_id', 'id', 'debit', 'credit', 'account']
/** A batch is of many members. */
const KEY = /^(?!batch_id$)(id|ref|key|hash|uuid|token|email|fingerprint|google_sub|\w+_(id|key|hash|mac))$/

type Ref = {
  readonly alias: string
  /** The table, or `undefined` for a subquery, a function or an interpolated part. */
  readonly table: string | undefined
  readonly isOwned: boolean
  /** The blocks of a subquery or of `with`. */
  readonly blocks: readonly Block[] | undefined
  reach: Reach
}
type Column = { readonly alias: string | undefined; readonly name: string }
type Value = 'value' | Column | { readonly blocks: readonly Block[] }
type Fact = { readonly left: Column; readonly right: Value }
type Block = {
  readonly refs: Ref[]
  readonly facts: Fact[]
  /** Columns that are above 1000, the last number of our own accounts. */
  readonly ofMembers: Set<string>
  readonly above: Block | undefined
  readonly named: Map<string, readonly Block[]>
}

const JOINS = /^(join|left|right|full|inner|cross|outer|natural)$/
const ENDS = /^(where|group|order|having|limit|offset|returning|set|window|for|union|intersect|except|values|on|using|conflict|select)$/
const LISTS = /^(any|all|some|exists)$/
const isWord = (piece: Piece | undefined, ...words: readonly string[]): boolean =>
  piece !== undefined && piece.kind === 'word' && words.includes(piece.text)
const isGroup = (piece: Piece | undefined): piece is Group => piece?.kind === 'group'
const isQuery = (group: Group): boolean =>
  isWord(group.pieces[0], 'select', 'with', 'insert', 'update', 'delete', 'values') ||
  (isGroup(group.pieces[0]) && isQuery(group.pieces[0]))

export function reachOf(statement: string, owned: ReadonlySet<string>): { readonly reach: Reach; readonly tables: readonly string[] } {
  const all: Block[] = []
  const reader = new Reader(owned, all)
  reader.query(treeOf(statement), undefined)
  settle(all)
  const refs = all.flatMap((block) => block.refs.filter(({ isOwned }) => isOwned))
  return { reach: widest(refs.map(({ reach }) => reach)), tables: [...new Set(refs.map(({ table }) => table as string))].sort() }
}

/** Narrows every reference as far as the facts allow. Each starts as `many`, so no two bind each other in a circle. */
function settle(blocks: readonly Block[]): void {
  for (let changed = true; changed; ) {
    changed = false
    for (const block of blocks)
      for (const ref of block.refs) {
        const reach = ref.blocks === undefined ? reachOfTable(ref, block) : reachOfQuery(ref.blocks)
        if (REACHES.indexOf(reach) >= REACHES.indexOf(ref.reach)) continue
        ref.reach = reach
        changed = true
      }
  }
}

const hasMembers = (ref: Ref): boolean => ref.isOwned || (ref.blocks?.some(({ refs }) => refs.some(hasMembers)) ?? false)
/** The rows of a subquery reach as far as its tables of members; without any, as far as its sources. */
function reachOfQuery(blocks: readonly Block[]): Reach {
  const refs = blocks.flatMap((block) => block.refs)
  const ofMembers = refs.filter(hasMembers)
  return widest((ofMembers.length > 0 ? ofMembers : refs).map(({ reach }) => reach))
}

function reachOfTable(ref: Ref, block: Block): Reach {
  if (ref.reach === 'one') return 'one'
  const found = block.facts
    .flatMap((fact) => [fact, ...turned(fact)])
    .map((fact) => (names(fact.left, ref, block) ? reachBy(fact, ref, block) : 'many'))
  return REACHES.find((reach) => found.includes(reach)) ?? 'many'
}
const turned = ({ left, right }: Fact): Fact[] => (typeof right === 'object' && 'name' in right ? [{ left: right, right: left }] : [])

const numbersOf = ({ table = '', isOwned }: Ref): readonly string[] => (isOwned ? (NUMBER_OF[table] ?? ['member_id']) : [])
const names = ({ alias, name }: Column, ref: Ref, block: Block): boolean =>
  alias === undefined
    ? block.refs.length === 1 || numbersOf(ref).includes(name) || !block.refs.some((one) => numbersOf(one).includes(name))
    : alias === ref.alias

function reachBy({ left, right }: Fact, ref: Ref, block: Block): Reach {
  const isNumber = numbersOf(ref).includes(left.name)
  if (right === 'value') {
    // An account of a transfer is a member's if it is above 1000: only those are in the index of a member's transfers.
    const isMember = ref.table !== 'transfer' || block.ofMembers.has('$') || block.ofMembers.has(left.name)
    if (isNumber) return isMember ? 'one' : 'many'
    return KEY.test(left.name) ? 'key' : 'many'
  }
  if ('blocks' in right) {
    const reach = reachOfQuery(right.blocks)
    return isNumber ? reach : KEY.test(left.name) && reach !== 'many' ? 'key' : 'many'
  }
  const other = refOf(right, block, ref)
  if (isNumber) {
    if (other === undefined) return NUMBERS.includes(right.name) ? 'one' : 'many'
    return numbersOf(other).includes(right.name) || (!other.isOwned && NUMBERS.includes(right.name)) ? other.reach : 'many'
  }
  return KEY.test(left.name) && ref.table !== 'member' && other !== undefined && other.reach !== 'many' ? 'key' : 'many'
}

/** The row that a column names, in this block or in one around it. Undefined: outside of the text. */
function refOf({ alias, name }: Column, block: Block, not: Ref): Ref | undefined {
  for (let at: Block | undefined = block; at !== undefined; at = at.above) {
    const found = at.refs.find((ref) => ref !== not && (alias === undefined ? numbersOf(ref).includes(name) : ref.alias === alias))
    if (found !== undefined) return found
  }
  return undefined
}

class Reader {
  private readonly owned: ReadonlySet<string>
  private readonly all: Block[]
  constructor(owned: ReadonlySet<string>, all: Block[]) {
    this.owned = owned
    this.all = all
  }

  /** The blocks of a query: one for each side of a union. A block of `with` is known in those after it. */
  query(pieces: readonly Piece[], above: Block | undefined): Block[] {
    const named = new Map<string, readonly Block[]>()
    const outer: Block = { refs: [], facts: [], ofMembers: new Set(), above, named }
    let rest = pieces
    if (isWord(rest[0], 'with')) rest = rest.slice(1)
    for (;;) {
      const [name, ...after] = rest
      const skipped = after.findIndex((piece) => !isWord(piece, 'as', 'not', 'materialized'))
      const body = after[skipped]
      if (name?.kind !== 'word' || !isWord(after[0], 'as') || !isGroup(body)) break
      named.set(name.text, isQuery(body) ? this.query(body.pieces, outer) : [this.unknown(outer)])
      rest = after.slice(skipped + 1)
      if (rest[0]?.kind === 'sign' && rest[0].text === ',') rest = rest.slice(1)
    }
    return splitAt(rest, 'union', 'intersect', 'except')
      .map((part) => {
        const [only] = part
        if (part.length === 1 && isGroup(only)) return this.query(only.pieces, outer)
        const block: Block = { refs: [], facts: [], ofMembers: new Set(), above: outer, named }
        this.all.push(block)
        this.block(part, block)
        return [block]
      })
      .flat()
  }

  /** A body that is interpolated: it may be anything. */
  private unknown(above: Block): Block {
    const ref: Ref = { alias: '', table: undefined, isOwned: false, blocks: undefined, reach: 'many' }
    return { refs: [ref], facts: [], ofMembers: new Set(), above, named: new Map() }
  }

  private block(pieces: readonly Piece[], block: Block): void {
    let at = 0
    let clause = ''
    let isInsert = false
    const list: Piece[] = []
    const end = (): void => {
      if (/^(where|on|having)$/.test(clause)) this.conditions(list, block)
      else this.within(list, block)
      list.length = 0
    }
    while (at < pieces.length) {
      const piece = pieces[at] as Piece
      const isFrom = isWord(piece, 'from', 'join', 'update', 'into') || (isWord(piece, 'using') && !isGroup(pieces[at + 1]))
      if (isFrom && !isWord(pieces[at - 1], 'distinct', 'for', 'do', 'key')) {
        end()
        if (isWord(piece, 'into')) isInsert = true
        at = this.sources(pieces, at + 1, block, isInsert)
        clause = 'from'
        if (isInsert) return this.insert(pieces.slice(at), block)
        continue
      }
      if (piece.kind === 'sign' && piece.text === ',' && clause === 'from') {
        at = this.sources(pieces, at + 1, block, false)
        continue
      }
      if (isWord(piece, 'using') && isGroup(pieces[at + 1])) {
        end()
        this.using(pieces[at + 1] as Group, block)
        at += 2
        clause = 'from'
        continue
      }
      if (piece.kind === 'word' && (ENDS.test(piece.text) || JOINS.test(piece.text)) && !isWord(pieces[at - 1], 'no')) {
        // `left(…)` and `right(…)` are functions.
        if (!(JOINS.test(piece.text) && isGroup(pieces[at + 1]))) {
          end()
          clause = piece.text
          at++
          continue
        }
      }
      list.push(piece)
      at++
    }
    end()
  }

  /** One row of values is of one member. Rows of a query reach as far as it does, unless the member's number is a value. */
  private insert(rest: readonly Piece[], block: Block): void {
    const [target] = block.refs
    const columns = isGroup(rest[0]) ? splitAt(rest[0].pieces, ',').map(([piece]) => (piece?.kind === 'word' ? piece.text : '')) : []
    const cut = rest.findIndex((piece) => isWord(piece, 'on') || isWord(piece, 'returning'))
    const source = rest.slice(isGroup(rest[0]) ? 1 : 0, cut < 0 ? undefined : cut)
    const returning = rest.findIndex((piece) => isWord(piece, 'returning'))
    if (returning >= 0) this.within(rest.slice(returning), block)
    if (target === undefined) return
    if (isWord(source[0], 'values')) {
      target.reach = 'one'
      this.within(source, block)
      return
    }
    const blocks = this.query(source, block)
    const shown = splitAt(source.slice(source.findIndex((piece) => isWord(piece, 'select')) + 1), ',')
    const numbers = numbersOf(target).map((name) => shown[columns.indexOf(name)]?.[0])
    const isValue = numbers.length > 0 && numbers.every((piece) => piece?.kind === 'value')
    if (isValue) target.reach = 'one'
    else block.refs[0] = { ...target, blocks }
  }

  /** Tables, functions and subqueries, from `at` on; returns the place after them. */
  private sources(pieces: readonly Piece[], from: number, block: Block, isInsert: boolean): number {
    let at = from
    while (isWord(pieces[at], 'only', 'lateral')) at++
    const piece = pieces[at]
    if (piece === undefined) return at
    let ref: Omit<Ref, 'alias'> & { readonly name: string } = {
      name: '',
      table: undefined,
      isOwned: false,
      blocks: undefined,
      reach: 'many',
    }
    at++
    if (piece.kind === 'value') ref = { ...ref, name: piece.text }
    else if (isGroup(piece)) ref = { ...ref, blocks: isQuery(piece) ? this.query(piece.pieces, block) : this.joined(piece, block) }
    else if (piece.kind === 'word') {
      const isOwned = this.owned.has(piece.text)
      const known = namedIn(block, piece.text)
      ref = { ...ref, name: piece.text, table: piece.text, isOwned: isOwned && known === undefined, blocks: known }
      if (isGroup(pieces[at]) && !isInsert) {
        if (!isOwned) ref = { ...ref, table: undefined }
        this.within([pieces[at] as Piece], block)
        at++
      }
    }
    while (isWord(pieces[at], 'with', 'ordinality', 'as')) at++
    const alias = pieces[at]
    const isAlias = alias?.kind === 'word' && !ENDS.test(alias.text) && !JOINS.test(alias.text)
    if (isAlias) at++
    if (isAlias && isGroup(pieces[at]) && !isInsert) at++
    block.refs.push({ ...ref, alias: isAlias ? alias.text : ref.name })
    return at
  }

  /** `(a join b on …)`: its tables belong to the block around it. */
  private joined(group: Group, block: Block): readonly Block[] {
    this.block([{ kind: 'word', text: 'from' }, ...group.pieces], block)
    return []
  }

  private using(group: Group, block: Block): void {
    const last = block.refs.at(-1)
    for (const [column] of splitAt(group.pieces, ',')) {
      if (column?.kind !== 'word' || last === undefined) continue
      for (const ref of block.refs.slice(0, -1))
        block.facts.push({ left: { alias: last.alias, name: column.text }, right: { alias: ref.alias, name: column.text } })
    }
  }

  /** Subqueries inside expressions. */
  private within(pieces: readonly Piece[], block: Block): void {
    for (const piece of pieces) {
      if (!isGroup(piece)) continue
      if (isQuery(piece)) this.query(piece.pieces, block)
      else this.within(piece.pieces, block)
    }
  }

  private conditions(pieces: readonly Piece[], block: Block): void {
    this.within(pieces, block)
    block.facts.push(...this.factsIn(pieces, block))
  }

  private factsIn(pieces: readonly Piece[], block: Block): Fact[] {
    const branches = splitAt(pieces, 'or')
    if (branches.length > 1) {
      const [first = [], ...others] = branches.map((branch) => this.factsIn(branch, block))
      // Every branch binds the same row to a value: it is bound whichever branch is met.
      return first.filter((fact) =>
        others.every((facts) => facts.some((one) => one.left.alias === fact.left.alias && one.right === fact.right)),
      )
    }
    return splitAt(pieces, 'and').flatMap((condition) => this.factOf(condition, block))
  }

  private factOf(condition: readonly Piece[], block: Block): Fact[] {
    const [only] = condition
    if (condition.length === 1 && isGroup(only) && !isQuery(only)) return this.factsIn(only.pieces, block)
    const sign = condition.findIndex((piece) => (piece.kind === 'sign' && /^[=<>]+$/.test(piece.text)) || isWord(piece, 'in'))
    if (sign < 0 || isWord(condition[0], 'not')) return []
    const [left, right] = [condition.slice(0, sign), condition.slice(sign + 1)]
    const operator = (condition[sign] as Token).text
    if (operator === '>') {
      if (right.length === 1 && right[0]?.kind === 'value' && right[0].text === '1000') block.ofMembers.add(columnOf(left)?.name ?? '$')
      return []
    }
    if (operator === 'in') return this.factOfList(left, right, block)
    if (operator !== '=') return []
    const [column, other] = [columnOf(left), columnOf(right)]
    if (column !== undefined) {
      const value = other ?? this.valueOf(right, block)
      return value === undefined ? [] : [{ left: column, right: value }]
    }
    const value = this.valueOf(left, block)
    return other === undefined || value === undefined ? [] : [{ left: other, right: value }]
  }

  /** `x in (select …)` and `$ in (a, b)`, one of whose columns is the value. */
  private factOfList(left: readonly Piece[], right: readonly Piece[], block: Block): Fact[] {
    const [list] = right
    if (right.length !== 1 || !isGroup(list)) return []
    const column = columnOf(left)
    if (column !== undefined && isQuery(list)) return [{ left: column, right: { blocks: this.query(list.pieces, block) } }]
    if (left.length !== 1 || left[0]?.kind !== 'value') return []
    return splitAt(list.pieces, ',').flatMap((piece) => {
      const of = columnOf(piece)
      return of === undefined ? [] : [{ left: of, right: 'value' as const }]
    })
  }

  private valueOf(pieces: readonly Piece[], block: Block): Value | undefined {
    const [only] = pieces
    if (pieces.length === 1 && isGroup(only) && isQuery(only)) {
      const [, value] = only.pieces
      if (only.pieces.length === 2 && value?.kind === 'value') return 'value'
      return { blocks: this.query(only.pieces, block) }
    }
    if (pieces.length > 0 && pieces.every((piece) => piece.kind === 'value' || (piece.kind === 'sign' && piece.text === '||')))
      return 'value'
    // A function of values, such as lower($).
    return pieces.length === 2 &&
      only?.kind === 'word' &&
      !LISTS.test(only.text) &&
      isGroup(pieces[1]) &&
      pieces[1].pieces.every(({ kind }) => kind === 'value')
      ? 'value'
      : undefined
  }
}

function namedIn(block: Block, name: string): readonly Block[] | undefined {
  for (let at: Block | undefined = block; at !== undefined; at = at.above) {
    const found = at.named.get(name)
    if (found !== undefined) return found
  }
  return undefined
}

/** A column, or a function of one column and of values. */
function columnOf(pieces: readonly Piece[]): Column | undefined {
  const [first, second] = pieces
  if (first?.kind !== 'word') return undefined
  if (pieces.length === 1) {
    const [alias, name] = first.text.includes('.') ? first.text.split('.') : [undefined, first.text]
    return { alias, name: name ?? '' }
  }
  if (pieces.length !== 2 || !isGroup(second) || LISTS.test(first.text) || isQuery(second)) return undefined
  const columns = splitAt(second.pieces, ',').flatMap((part) => columnOf(part) ?? [])
  return columns.length === 1 ? columns[0] : undefined
}
