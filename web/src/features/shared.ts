/**
 * Bundles the modules that most screens need into the shell's file. One file is smaller than its pieces, and a screen
 * needs one request less.
 */
import '@roz/core/money.ts'
import '@roz/core/person-fields.ts'
import '../ui/Field.tsx'
import '../ui/focus.ts'
import '../ui/Unbroken.tsx'
import '../ui/wide.ts'
import './TodaySection.tsx'
import './Listing.tsx'
import './Part.tsx'
