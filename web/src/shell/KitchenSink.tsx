/** Every part of the interface on one page, for a visual check. Not part of production. */
import { useState } from 'react'
import { Art, CoinTally, Postmark, Seal } from '../ui/Art.tsx'
import { Avatar } from '../ui/Avatar.tsx'
import { Button } from '../ui/Button.tsx'
import { Countdown } from '../ui/Countdown.tsx'
import { Badge, EmptyState, ErrorState, LoadMore, Skeleton, SkeletonBlock, Spinner, StatTile, StatTiles } from '../ui/Feedback.tsx'
import { PasswordField, SelectField, TextAreaField, TextField } from '../ui/Field.tsx'
import { Book, CardSection } from '../ui/Layout.tsx'
import { Modal, type ModalSize } from '../ui/Modal.tsx'
import { formatMoney, Money } from '../ui/Money.tsx'
import { LedgerRow, Ruler } from '../ui/Split.tsx'
import { Switch } from '../ui/Switch.tsx'
import { Tabs } from '../ui/Tabs.tsx'
import { toast } from '../ui/Toast.tsx'
import { Video } from '../ui/Video.tsx'

const SIZES: readonly ModalSize[] = ['sm', 'md', 'lg', 'xl']
const TABS = [
  { id: 'one', label: 'Overview' },
  { id: 'two', label: 'Users' },
  { id: 'three', label: 'Impact Stories' },
] as const
const END = new Date(Date.now() + 27_712_000).toISOString()

export function KitchenSink() {
  return (
    <Book title="Kitchen sink">
      <Words />
      <Inputs />
      <Overlays />
      <Figures />
      <States />
    </Book>
  )
}

function Words() {
  return (
    <>
      <CardSection when="Kit">
        <h1>The daily ledger</h1>
        <p className="lead">Paper, one margin, one stitch, one coin.</p>
      </CardSection>
      <CardSection when="Type">
        <p className="display">Display, One rupee a day</p>
        <h2>Yesterday's impact</h2>
        <p>
          <Money amount={1234567.89} className="figure mid" /> and {formatMoney(12.5)} in a sentence
        </p>
        <h3>Heading three, 18 system</h3>
        <p>Body, 16 system. Every paisa is shown in public.</p>
        <p className="small muted">Small, 14, the smallest size we use</p>
      </CardSection>
    </>
  )
}

function Inputs() {
  const [busy, setBusy] = useState(false)
  const [on, setOn] = useState(true)
  return (
    <>
      <CardSection when="Buttons">
        <div className="buttons">
          <Button>Join with ₹1.00</Button>
          <Button kind="secondary">See Real Impact</Button>
          <Button kind="quiet">Cancel</Button>
          <Button kind="danger">Delete account</Button>
          <Button disabled>Join with ₹1.00</Button>
          <Button busy={busy} onClick={() => setBusy(true)}>
            Press for busy
          </Button>
        </div>
      </CardSection>
      <CardSection when="Fields">
        <div className="grid two">
          <div>
            <TextField label="Full name" defaultValue="Asha Verma" />
            <TextField label="IFSC" defaultValue="SBIN123" error="Invalid IFSC code format" />
            <PasswordField label="Password" defaultValue="secret" hint="At least 6 characters." />
          </div>
          <div>
            <TextField label="Phone number" prefix="+91" inputMode="tel" />
            <SelectField label="Account type">
              <option>Savings</option>
              <option>Current</option>
            </SelectField>
            <TextAreaField label="Message" />
            <Switch label="Auto Participate" checked={on} onChange={setOn} on="Enabled" off="Disabled" />
          </div>
        </div>
      </CardSection>
    </>
  )
}

function Overlays() {
  const [modal, setModal] = useState<ModalSize>()
  const [question, setQuestion] = useState(false)
  const [tab, setTab] = useState<(typeof TABS)[number]['id']>('two')
  return (
    <>
      <CardSection when="Toasts">
        <div className="buttons">
          <Button kind="secondary" onClick={() => toast.success("Successfully joined today's round!")}>
            Success
          </Button>
          <Button kind="secondary" onClick={() => toast.warning('Payment pending. We keep checking.')}>
            Warning
          </Button>
          <Button kind="secondary" onClick={() => toast.error('Failed to add money')}>
            Error
          </Button>
        </div>
      </CardSection>
      <CardSection when="Modal">
        <div className="buttons">
          {SIZES.map((size) => (
            <Button key={size} kind="secondary" onClick={() => setModal(size)}>
              {size}
            </Button>
          ))}
          <Button kind="secondary" onClick={() => setQuestion(true)}>
            Without a close button
          </Button>
        </div>
        <Modal
          open={question}
          onClose={() => setQuestion(false)}
          size="sm"
          title="Take this story back?"
          closeButton={false}
          closeOnOverlay={false}
          footer={<Button onClick={() => setQuestion(false)}>Keep it</Button>}
        >
          <p>Nobody can read it any more.</p>
        </Modal>
        <Modal
          open={modal !== undefined}
          onClose={() => setModal(undefined)}
          size={modal ?? 'md'}
          title="Withdraw ₹15.00?"
          footer={
            <>
              <Button kind="secondary" onClick={() => setModal(undefined)}>
                Cancel
              </Button>
              <Button onClick={() => toast.error('Failed to withdraw money')}>Withdraw</Button>
            </>
          }
        >
          <p>To State Bank of India, account ··4471. It arrives in 24 to 48 hours.</p>
        </Modal>
      </CardSection>
      <CardSection when="Tabs">
        <Tabs label="Parts" tabs={TABS} value={tab} onChange={setTab}>
          <p>The panel of {tab}.</p>
        </Tabs>
      </CardSection>
    </>
  )
}

function Figures() {
  return (
    <>
      <CardSection when="Figures">
        <StatTiles>
          <StatTile label="For people in need">
            <Money amount={1143718.2} />
          </StatTile>
          <StatTile label="For members">
            <Money amount={571859.1} />
          </StatTile>
          <StatTile label="Rounds">213</StatTile>
          <StatTile label="Community">14,032</StatTile>
        </StatTiles>
        <Countdown endTime={END} skewMs={0} />
        <CoinTally rupees={23} label="23 one-rupee coins" />
      </CardSection>
      <CardSection when="Badges">
        <div className="buttons">
          <Badge tone="good">Completed</Badge>
          <Badge tone="waiting">Pending</Badge>
          <Badge tone="bad">Failed</Badge>
          <Badge>Refunded</Badge>
          <Badge tone="live">Live</Badge>
          <Avatar name="Asha Verma" src={null} />
          <Avatar name="" src={null} />
        </div>
      </CardSection>
      <CardSection when="Split">
        <div className="form-sheet">
          <Ruler split={{ need: 60, reward: 30, platform: 10, winners: 1 }} />
          <div className="ledger">
            <LedgerRow part="need" label="People in need">
              60%
            </LedgerRow>
            <LedgerRow part="gift" label="One member">
              30%
            </LedgerRow>
            <LedgerRow part="run" label="Platform">
              10%
            </LedgerRow>
            <LedgerRow sum label="Your rupee">
              ₹1.00
            </LedgerRow>
          </div>
        </div>
      </CardSection>
    </>
  )
}

function States() {
  return (
    <>
      <CardSection when="Waiting">
        <div className="grid three">
          <Spinner />
          <Skeleton />
          <SkeletonBlock kind="video" />
        </div>
        <LoadMore onClick={() => undefined} />
      </CardSection>
      <CardSection when="Empty">
        <div className="grid two">
          <EmptyState title="No transactions yet" action={<Button>Add money</Button>}>
            Your transactions appear here.
          </EmptyState>
          <ErrorState title="Failed to load profile data." onRetry={() => undefined} />
        </div>
      </CardSection>
      <CardSection when="Video">
        <div className="form-sheet">
          <Video url="https://youtu.be/aqz-KE-bpKQ" title="School fees for two sisters in Nagpur" note="20 Nov 2026" />
        </div>
      </CardSection>
      <CardSection when="Drawing">
        <div className="buttons">
          <Art name="coin" className="vignette" />
          <Art name="cut" className="vignette" />
          <Art name="stack" className="vignette" />
          <Art name="slip" className="vignette" />
          <Postmark id="sink" top="ROUND 214" middle="You're in" below="21 NOV 2026" rim="ROZ · ₹1.00" />
          <Seal word="Paid" />
          <Seal word="Sealed" tilt="right" />
        </div>
      </CardSection>
    </>
  )
}
