/** The drawings, as references to the sprite in the page (web/src/ui/art.ts). */
type Drawing = 'coin' | 'c1' | 'cut' | 'stack' | 'slip'

/** Decorative by default. Set `label` if the drawing says something that the text does not. */
export function Art({ name, className, label }: { readonly name: Drawing; readonly className?: string; readonly label?: string }) {
  const VIEWBOX = { coin: '0 0 120 120', c1: '0 0 40 40', cut: '-10 -14 158 152', stack: '26 0 84 96', slip: '26 0 84 96' } as const
  const [x, y, width, height] = VIEWBOX[name].split(' ')
  const spoken = label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label }
  return (
    <svg className={className ?? 'art'} viewBox={VIEWBOX[name]} {...spoken}>
      <use href={`#${name}`} x={x} y={y} width={width} height={height} />
    </svg>
  )
}

export function Key({ part }: { readonly part: 'need' | 'gift' | 'run' }) {
  return (
    <svg className="key" aria-hidden="true">
      <use href={`#key-${part}`} />
    </svg>
  )
}

/** A small seal, the sign for proof, beside the words that it confirms. */
export function Seal({ word, tilt = 'left' }: { readonly word: string; readonly tilt?: 'left' | 'right' }) {
  const size = word.length > 5 ? 18 : word.length > 4 ? 19 : 23
  return (
    <svg className={`seal ${tilt}`} viewBox="0 0 88 88" aria-hidden="true">
      <use href="#seal" />
      <text className="display" x="44" y={44 + size * 0.33} fontSize={size} textAnchor="middle" fill="currentColor">
        {word}
      </text>
    </svg>
  )
}

type PostmarkProps = { readonly id: string; readonly top: string; readonly middle: string; readonly below: string; readonly rim: string }

/** The postmark "You’re in": the sign that the member has joined today's round. */
export function Postmark({ id, top, middle, below, rim }: PostmarkProps) {
  return (
    <svg className="stamp" viewBox="0 0 140 140" role="img" aria-label={`${middle}. ${top}, ${below}`}>
      <use href="#postmark" />
      <path id={id} d="M17.5 70a52.5 52.5 0 0 1 105 0" fill="none" />
      <path id={`${id}-rim`} d="M11.5 70a58.5 58.5 0 0 0 117 0" fill="none" />
      <g fill="currentColor" textAnchor="middle">
        <text fontSize="11.5" fontWeight="700" letterSpacing="1.6">
          <textPath href={`#${id}`} startOffset="50%">
            {top}
          </textPath>
        </text>
        <text fontSize="10.5" fontWeight="700" letterSpacing="1.4">
          <textPath href={`#${id}-rim`} startOffset="50%">
            {rim}
          </textPath>
        </text>
        <text className="display" x="70" y="72" fontSize="20">
          {middle}
        </text>
        <text x="70" y="88" fontSize="10.5" fontWeight="600">
          {below}
        </text>
      </g>
    </svg>
  )
}

const COINS_SHOWN_MAX = 30

/** Coins in rows of ten. Above 30, stacks of ten and a figure. */
export function CoinTally({ rupees, label }: { readonly rupees: number; readonly label: string }) {
  const coins = Math.floor(rupees)
  if (coins <= 0) return null
  const inStacks = coins > COINS_SHOWN_MAX
  const shown = inStacks ? Math.min(10, Math.floor(coins / 10)) : coins
  if (inStacks) {
    return (
      <div className="stacks" role="img" aria-label={label}>
        {Array.from({ length: shown }, (_, index) => (
          <Art key={index} name="stack" className="stack" />
        ))}
      </div>
    )
  }
  return (
    <svg className="tally" viewBox={`0 0 300 ${Math.ceil(shown / 10) * 30}`} role="img" aria-label={label}>
      {Array.from({ length: shown }, (_, index) => (
        <use key={index} href="#c1" x={(index % 10) * 30} y={Math.floor(index / 10) * 30} width="29" height="29" />
      ))}
    </svg>
  )
}

const WORDMARK =
  'M7.4 6.7V15Q10.6 15 11.6 14Q12.7 13.1 12.7 10.9Q12.7 8.8 11.6 7.7Q10.5 6.7 7.4 6.7ZM19.9 24.3H18.5Q14.5 24.3 13 22.6Q11.7 21.2 11.3 19Q11.1 18.1 10.8 17.3Q10.3 15.6 8.8 15.6H7.4V23.4H9V24H1V23.4H2.6V6.7H1V6.1H9.4Q17.5 6.1 17.5 10.8Q17.5 12.7 16.2 13.9Q14.8 15.1 12.6 15.1V15.3Q15.8 15.3 17.1 19.6Q17.7 21.8 18.4 22.7Q19 23.7 19.9 23.7ZM26.8 22.1Q27.5 23.7 29.2 23.7Q31 23.7 31.7 22Q32.4 20.4 32.4 16.7Q32.4 12.9 31.7 11.2Q31 9.6 29.2 9.6Q27.5 9.6 26.8 11.2Q26.1 12.9 26.1 16.7Q26.1 20.4 26.8 22.1ZM21.2 16.7Q21.2 14.8 21.9 13.2Q22.7 11.7 23.9 10.8Q25.1 9.9 26.4 9.4Q27.8 9 29.2 9Q30.7 9 32.1 9.4Q33.5 9.9 34.7 10.8Q35.9 11.7 36.6 13.2Q37.3 14.8 37.3 16.7Q37.3 18.6 36.6 20.1Q35.9 21.6 34.7 22.5Q32.2 24.3 29.2 24.3Q26.1 24.3 23.7 22.3Q21.2 20.4 21.2 16.7ZM38.6 24V23.5L47.7 9.9H45.8Q40.1 9.9 40.1 15.2H39.6V9.3H53.1V9.7L44.1 23.4H46.1Q47.8 23.4 48.9 23.2Q49.9 23 50.8 22.4Q52.4 21.3 52.4 17.6H52.9V24Z'

/** The one brand whose name is drawn. */
const DRAWN = 'Roz'

/** The brand's logo. A brand of another name is set in the display typeface. */
export function LogoArt({ brandName }: { readonly brandName: string }) {
  return (
    <>
      <svg className="logo-coin" aria-hidden="true">
        <use href="#c1" />
      </svg>
      {brandName === DRAWN ? (
        <>
          <svg className="wordmark" viewBox="0 4 54.4 22" aria-hidden="true">
            <path d={WORDMARK} />
          </svg>
          <span className="hidden">{brandName}</span>
        </>
      ) : (
        <span className="display logo-word">{brandName}</span>
      )}
    </>
  )
}
