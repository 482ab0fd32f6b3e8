/**
 * What most screens need comes with the shell, in its one file: together it is smaller than in pieces,
 * and a screen is one journey away.
 */
import '@roz/core/money.ts'
import '@roz/core/person-fields.ts'
import '../ui/Field.tsx'
import '../ui/focus.ts'
import '../ui/Unbroken.tsx'
import '../ui/wide.ts'
import './TodaySection.tsx'
import './Listing.tsx'
