/**
 * Makes a photo small enough to send over a slow line: a phone's picture is often above the 5 MB
 * that the server takes. The server cuts and re-encodes whatever comes; this only saves bytes.
 */
const SIDE_MAX = 1024
const SENT_AS_IT_IS_MAX_BYTES = 1024 * 1024

export const isImage = (file: File): boolean => file.type.startsWith('image/')

export async function shrunk(file: File): Promise<Blob> {
  if (file.size <= SENT_AS_IT_IS_MAX_BYTES) return file
  try {
    const bitmap = await createImageBitmap(file)
    const scale = Math.min(1, SIDE_MAX / Math.max(bitmap.width, bitmap.height))
    const canvas = document.createElement('canvas')
    canvas.width = Math.round(bitmap.width * scale)
    canvas.height = Math.round(bitmap.height * scale)
    canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
    bitmap.close()
    return await new Promise<Blob>((resolve) => canvas.toBlob((blob) => resolve(blob ?? file), 'image/jpeg', 0.9))
  } catch {
    // A format this browser cannot read: the server may.
    return file
  }
}
