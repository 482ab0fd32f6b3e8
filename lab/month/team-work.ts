/**
 * The team's morning, as the guide says (docs/operator-guide.md): every list of money that the portal has, worked off by its own calls.
 * - Finance decides, and the owner is the second person where one is needed.
 * - A decision that is refused because its row changed waits for the next morning.
 */
import type { IstDay } from '@roz/core/ist-day.ts'
import type { Dice } from '../faults/random.ts'
import type { Bank } from './bank.ts'
import { createDeciding } from './deciding.ts'
import { createBooksDesk } from './team-books.ts'
import { createMoneyDesk } from './team-money.ts'
import type { World } from './world.ts'

export function createTeam({ world, bank, dice }: { readonly world: World; readonly bank: Bank; readonly dice: Dice }) {
  const deciding = createDeciding()
  const money = createMoneyDesk(world, deciding, { bank, dice })
  const books = createBooksDesk(world, deciding, { bank, dice })
  return {
    ...deciding,
    ...money,
    async morning(today: IstDay): Promise<void> {
      deciding.beginMorning()
      await money.decideWithdrawals()
      await money.decideSuspense()
      await money.decideRefunds()
      await books.recordSettlements()
      await books.importStatement(today)
      await books.matchLines()
      await books.closeFindings(today)
    },
  }
}
