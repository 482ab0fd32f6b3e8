/**
 * Part of `npm run check`: the subject of every commit since FIRST is imperative and has at most 72 characters.
 * - Older commits are not checked.
 * - Without git, or in a shallow clone without FIRST, nothing is checked, and the output says so.
 */
import { spawnSync } from 'node:child_process'
import { pathToFileURL } from 'node:url'

const FIRST = '7c6304746e1f'
const LENGTH_MAX = 72
/** Verbs in their base form. A new one is added here; a noun that is no verb (staff, members, receipts) never is. */
const VERBS = new Set(
  `abort accept acknowledge adapt add adjust admit advance align allow alter anchor announce answer append apply archive arrange ask assert assign
  attach audit authenticate authorize avoid await back balance base batch begin bind block book bound break bring broaden buffer build bump bundle
  bypass cache calculate call cancel cap capture carry catch centre change charge check choose claim clamp clarify clean clear close cluster
  collapse collect combine commit compare compensate complete compress compute condense confirm connect consolidate constrain contain
  continue convert copy correct count cover create credit cross cut cycle date deal debit decide declare decline decode decouple decrypt deduplicate
  default defer define delay delegate delete deliver demand demote deny deprecate derive describe detach detect determine direct disable
  disallow disclose discard discount dispatch display distinguish distribute divide do document double download draft draw drive drop dump
  earn edit embed empty enable encode encrypt end enforce enlarge ensure enter erase escalate escape establish estimate evaluate examine exclude
  exempt expand expect expire explain export expose extend extract fail fall feed fetch fill filter find finish fit fix flag flatten flush
  follow forbid force forget format forward free freeze fuzz gather generate get give grant group guard guarantee guess halt handle harden
  hash have help hide hint hold honour identify ignore implement import improve include increase index inform inherit initialize inject inline
  insert inspect install introduce invalidate invite isolate issue join judge justify keep kill label launch lay lead leave lengthen let lift
  limit line link list listen load lock log look loosen lose lower mail maintain make mark mask match measure mend mention merge migrate
  minimize mirror miss move multiply name narrow never normalize note notify number offer omit open order organize outgrow overlap override own
  pack package pad page paint park parse pass pause pay permit persist pick pin plant place plan point poll post postpone prefer prefetch prepare
  present preserve press prevent print probe process produce prohibit promise promote prompt propagate protect prove provide prune publish
  pull purge push put qualify query queue quote raise rank rate read rebase rebuild recalculate receive recheck recognize recompute
  reconcile reconnect record recover redirect redraw reduce refactor refer reflect refresh refund refuse register reject relate relax release
  reload rely remember remind remove rename render renew reopen reorder repair repeat replace replay report request require reset resolve
  respect respond rest restart restore restrict restructure resume retire retry return reuse reveal revert review revise revoke rewind rewrite
  roll rotate round route run sample sanitize save say scale scan schedule score seal search secure see seed select send separate serve
  set settle shape share shift ship shorten show shrink shut sign silence simplify simulate size skip sort spare specify speed split spread
  stabilize stand start state stay step stop store straighten stream strengthen strike strip study submit subtract summarize support surface
  suspend swap switch sync take teach tell test throttle throw tidy tie tighten time tolerate trace track translate treat trigger trim try tune
  turn type undo unify unite unlock unpack update upgrade upload use validate vary verify view visit void wait wake walk warm warn watch
  weaken weigh widen withdraw withhold word work wrap write yield`.split(/\s+/),
)
/** After a first word that is a verb and a noun, as in “Help is paid”, these make a statement of it. */
const STATEMENT = /^\S+ (?:is|are|was|were|has|had|can|could|may|might|must|will|would|shall|should|does|did)\b/

/** The fault of a subject, or undefined if it has none. */
export function subjectFault(subject) {
  if (subject.length > LENGTH_MAX) return `has ${subject.length} characters, ${LENGTH_MAX} are allowed`
  const first = /^\p{Lu}[\p{L}'’-]*/u.exec(subject)?.[0]
  if (first === undefined) return 'does not begin with a capital letter'
  if (STATEMENT.test(subject)) return 'states something: begin with a verb, as in “Refuse a second join”'
  return VERBS.has(first.toLowerCase())
    ? undefined
    : `is not imperative: begin with a verb, as in “Refuse a second join” (is “${first}” one? Add it to ops/launch/commits.mjs)`
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { status, stdout } = spawnSync('git', ['log', '--no-merges', '--format=%h %s', `${FIRST}..HEAD`], { encoding: 'utf8' })
  if (status !== 0) process.stdout.write(`this clone has no commit ${FIRST}: no subject was checked\n`)
  for (const line of status === 0 ? stdout.split('\n').filter(Boolean) : []) {
    const [hash] = line.split(' ', 1)
    const fault = subjectFault(line.slice(hash.length + 1))
    if (fault === undefined) continue
    process.stdout.write(`${line}\n  ${fault}\n`)
    process.exitCode = 1
  }
}
