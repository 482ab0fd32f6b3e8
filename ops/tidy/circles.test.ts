/** The product's files import each other in one direction, types included. */
import { expect, test } from 'vitest'
import { code } from './source.ts'

const names = new Set(code.map(({ name }) => name))
const edges = new Map(
  code
    .filter(({ isTest }) => !isTest)
    .map(
      ({ name, imports }) => [name, imports.flatMap(({ target }) => (target !== undefined && names.has(target) ? [target] : []))] as const,
    ),
)

/** Strongly connected components of more than one file, by Tarjan's algorithm. */
export function circlesIn(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const indexOf = new Map<string, number>()
  const lowOf = new Map<string, number>()
  const stack: string[] = []
  const circles: string[][] = []
  const lower = (node: string, low: number | undefined): void => {
    lowOf.set(node, Math.min(lowOf.get(node) as number, low as number))
  }
  const follow = (node: string): void => {
    indexOf.set(node, indexOf.size)
    lowOf.set(node, indexOf.get(node) as number)
    stack.push(node)
    for (const next of graph.get(node) ?? []) {
      if (!indexOf.has(next)) {
        follow(next)
        lower(node, lowOf.get(next))
      } else if (stack.includes(next)) lower(node, indexOf.get(next))
    }
    if (lowOf.get(node) !== indexOf.get(node)) return
    const circle = stack.splice(stack.indexOf(node))
    if (circle.length > 1) circles.push(circle)
  }
  for (const node of graph.keys()) if (!indexOf.has(node)) follow(node)
  return circles
}

test('an import circle is found', () => {
  const graph = new Map([
    ['a', ['b']],
    ['b', ['c']],
    ['c', ['b']],
  ])
  expect(circlesIn(graph)).toEqual([['b', 'c']])
})

test('no two files import each other, directly or through others', () => {
  const found = circlesIn(edges).map((circle) => circle.join(' → '))
  expect(found, 'Move what both need into a file of its own.').toEqual([])
})
