// Package mpacket reads and writes packets: fixed-width fields, the types of the Minecraft Java
// protocol and its frames. It depends on the standard library only.
package mpacket
