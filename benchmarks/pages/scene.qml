// 150 turning rectangles with text, some clipped, and a blurred layer. Prints "N frames in S seconds" after SECONDS.
import QtGraphicalEffects 1.0
import QtQuick 2.15
import QtQuick.Window 2.15

Window {
    id: win
    width: 800
    height: 600
    visible: true
    color: "#203040"
    property int shown: 0
    property int warm: 50
    property double begin: 0
    property double seconds: SECONDS  // replaced
    onFrameSwapped: {
        shown++
        if (shown == warm)
            begin = Date.now()
        var spent = (Date.now() - begin) / 1000
        if (shown > warm && spent >= seconds) {
            console.log((shown - warm) + " frames in " + spent + " seconds")
            Qt.quit()
        }
        win.update()
    }
    Repeater {
        model: 150
        Rectangle {
            x: (index % 15) * 52 + 10
            y: Math.floor(index / 15) * 55 + 10
            width: 40
            height: 40
            radius: index % 3 ? 8 : 0
            color: Qt.hsla(index / 150, 0.7, 0.5, 0.9)
            rotation: win.shown * 2 + index
            border.width: 2
            border.color: "white"
            clip: index % 10 == 0
            Text {
                anchors.centerIn: parent
                text: index + win.shown % 10
                color: "white"
            }
        }
    }
    Item {
        width: 200
        height: 150
        x: 300
        y: 220
        layer.enabled: true
        layer.effect: GaussianBlur { radius: 8; samples: 17 }
        Rectangle {
            anchors.fill: parent
            gradient: Gradient {
                GradientStop { position: 0; color: "red" }
                GradientStop { position: 1; color: "blue" }
            }
        }
        Rectangle { x: win.shown % 150; y: 40; width: 50; height: 50; color: "yellow" }
    }
    Text { text: "frame " + win.shown; font.pixelSize: 30; color: "white"; style: Text.Outline; y: 560 }
}
