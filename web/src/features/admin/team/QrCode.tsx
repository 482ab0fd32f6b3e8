/** A QR code drawn here, so that its secret reaches no other host. */
import { qrOf, qrPath } from './qr.ts'

export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const rows = qrOf(text)
  const size = rows.length + 8
  return (
    <svg className="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shapeRendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={qrPath(rows)} fill="#000" />
    </svg>
  )
}
